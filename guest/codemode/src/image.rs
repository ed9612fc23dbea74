//! What `image(...)` accepts, and what it makes of it.

/// An image ready for output.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Image {
    /// Base64 without spaces.
    pub data: String,
    /// The media type that the data shows, else the declared one.
    pub mime_type: String,
}

/// The image of a `data:` URL.
///
/// # Errors
/// One sentence that says what is wrong.
pub(crate) fn from_data_url(url: &str) -> Result<Image, String> {
    let is_remote = ["http://", "https://"].iter().any(|scheme| {
        url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    });
    if is_remote {
        return Err("image() takes no http(s) URLs; fetch the image with a tool and pass its data.".into());
    }
    let rest = url.get(..5).filter(|start| start.eq_ignore_ascii_case("data:")).map(|_| &url[5..]);
    let Some((declared, data)) = rest.and_then(|rest| rest.split_once(',')) else {
        return Err("image() takes a base64 data: URL, { image_url } or an MCP image block.".into());
    };
    let Some(declared) = declared.strip_suffix(";base64") else {
        return Err("image() takes data: URLs with base64 only.".into());
    };
    from_base64(data, declared.split(';').next().unwrap_or(""))
}

/// The image of base64 data with a declared media type.
///
/// # Errors
/// One sentence when the data is not base64 or no image.
pub(crate) fn from_base64(data: &str, declared: &str) -> Result<Image, String> {
    let data: String = data.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let unpadded = data.trim_end_matches('=');
    let padding = data.len() - unpadded.len();
    let is_alphabet = |c: char| c.is_ascii_alphanumeric() || c == '+' || c == '/';
    let has_length = data.len() % 4 == 0 || padding == 0 && data.len() % 4 != 1;
    if data.is_empty() || padding > 2 || !unpadded.chars().all(is_alphabet) || !has_length {
        return Err("image() got data that is not base64.".into());
    }
    let mime_type = match sniff(&decode_start(unpadded)) {
        Some(sniffed) => sniffed.to_owned(),
        None if declared.starts_with("image/") => declared.to_ascii_lowercase(),
        None if declared.is_empty() => return Err("image() could not tell the type of the image; give its mimeType.".into()),
        None => return Err(format!("image() got data of type {declared}, which is no image.")),
    };
    let mut data = data;
    while data.len() % 4 != 0 {
        data.push('=');
    }
    Ok(Image { data, mime_type })
}

/// The first bytes of base64 data.
fn decode_start(base64: &str) -> Vec<u8> {
    let digits: Vec<u32> = base64
        .bytes()
        .take(24)
        .map(|byte| match byte {
            b'A'..=b'Z' => u32::from(byte - b'A'),
            b'a'..=b'z' => u32::from(byte - b'a') + 26,
            b'0'..=b'9' => u32::from(byte - b'0') + 52,
            b'+' => 62,
            _ => 63,
        })
        .collect();
    let mut bytes = Vec::with_capacity(18);
    for group in digits.chunks(4) {
        let word = group.iter().enumerate().fold(0, |word, (index, digit)| word | digit << (18 - 6 * index));
        bytes.extend_from_slice(&word.to_be_bytes()[1..group.len().max(1)]);
    }
    bytes
}

/// The type that the first bytes of an image show.
fn sniff(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if bytes.starts_with(b"\xFF\xD8\xFF") {
        Some("image/jpeg")
    } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        Some("image/gif")
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some("image/webp")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_urls() {
        let image = from_data_url("data:image/jpeg;base64,iVBORw0KGgo=").unwrap();
        assert_eq!(image, Image { data: "iVBORw0KGgo=".into(), mime_type: "image/png".into() });
        assert_eq!(from_data_url("data:image/x;base64,AAAA").unwrap().mime_type, "image/x");
        for wrong in ["https://x.io/a.png", "data:image/png,abc", "x", "data:image/png;base64,!!!!", "data:text/plain;base64,AAAA"] {
            assert!(from_data_url(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn signatures() {
        assert_eq!(from_base64("/9j/4AAQ", "").unwrap().mime_type, "image/jpeg");
        assert_eq!(from_base64("R0lGODlh", "").unwrap().mime_type, "image/gif");
        assert_eq!(from_base64("UklGRgAAAABXRUJQ", "").unwrap().mime_type, "image/webp");
        assert!(from_base64("AAAA", "").is_err());
        assert_eq!(from_base64("iVBORw0KGg o", "").unwrap().data, "iVBORw0KGgo=");
    }
}
