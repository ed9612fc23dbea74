// Joins the data segments of a core module.
//
// A snapshot of an initialised memory has a segment for every run of bytes that are not zero, ten thousand of them. Each costs time
// in every instantiation, far more than the copying of the zeros between them.

const DATA = 11;
const DATA_COUNT = 12;
const HEADER_BYTES = 8;

/** Segments with at most this many zero bytes between them become one. */
const LARGEST_GAP = 65536;

/**
 * The module with fewer segments, or as it is when its code may name segments, or some are not simply copied to constant places.
 *
 * @param {Uint8Array} module
 * @returns {Uint8Array}
 */
export function joinSegments(module) {
  const sections = readSections(module);
  const data = sections.find(({ id }) => id === DATA);
  // Without a count of the segments no code can name one.
  if (data === undefined || sections.some(({ id }) => id === DATA_COUNT)) return module;
  const segments = readSegments(data.bytes);
  if (segments === undefined) return module;
  const joined = writeSegments(join(segments.sort((a, b) => a.offset - b.offset)));
  const parts = [module.subarray(0, HEADER_BYTES)];
  for (const { id, bytes } of sections) {
    const content = id === DATA ? joined : bytes;
    parts.push(Uint8Array.of(id), unsigned(content.length), content);
  }
  return concat(parts);
}

function readSections(module) {
  const reader = new Reader(module, HEADER_BYTES);
  const sections = [];
  while (!reader.atEnd) {
    const id = reader.byte();
    sections.push({ id, bytes: reader.bytes(reader.unsigned()) });
  }
  return sections;
}

/** The active segments; undefined when one is of another memory, or at an offset that is no constant. */
function readSegments(bytes) {
  const reader = new Reader(bytes, 0);
  const segments = [];
  for (let count = reader.unsigned(); count > 0; count--) {
    const [ACTIVE, PASSIVE, I32_CONST, END] = [0, 1, 0x41, 0x0b];
    const kind = reader.unsigned();
    if (kind === PASSIVE) {
      reader.bytes(reader.unsigned());
      continue;
    }
    if (kind !== ACTIVE || reader.byte() !== I32_CONST) return undefined;
    const offset = reader.signed() >>> 0;
    if (reader.byte() !== END) return undefined;
    segments.push({ offset, bytes: reader.bytes(reader.unsigned()) });
  }
  return segments;
}

/** Later segments overwrite earlier ones, so sorted ones that overlap cannot be joined this way; linkers make none. */
function join(segments) {
  const joined = [];
  let group = [];
  const finish = () => {
    if (group.length === 0) return;
    const { offset } = group[0];
    const last = group[group.length - 1];
    const bytes = new Uint8Array(last.offset + last.bytes.length - offset);
    for (const segment of group) bytes.set(segment.bytes, segment.offset - offset);
    joined.push({ offset, bytes });
    group = [];
  };
  let end = 0;
  for (const segment of segments) {
    if (segment.offset < end) throw new Error('The component has data segments that overlap.');
    if (segment.offset - end > LARGEST_GAP) finish();
    group.push(segment);
    end = segment.offset + segment.bytes.length;
  }
  finish();
  return joined;
}

function writeSegments(segments) {
  const parts = [unsigned(segments.length)];
  for (const { offset, bytes } of segments) {
    parts.push(Uint8Array.of(0, 0x41), signed(offset | 0), Uint8Array.of(0x0b), unsigned(bytes.length), bytes);
  }
  return concat(parts);
}

class Reader {
  constructor(source, position) {
    this.source = source;
    this.position = position;
  }

  get atEnd() {
    return this.position >= this.source.length;
  }

  byte() {
    if (this.atEnd) throw new Error('The core module ends too early.');
    return this.source[this.position++];
  }

  bytes(length) {
    const bytes = this.source.subarray(this.position, this.position + length);
    this.position += length;
    return bytes;
  }

  /** LEB128. */
  unsigned() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  /** LEB128, at most 32 bits. */
  signed() {
    let value = 0;
    for (let shift = 0; ; ) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      shift += 7;
      if (byte < 0x80) return shift < 32 && (byte & 0x40) !== 0 ? value | (-1 << shift) : value;
    }
  }
}

function unsigned(value) {
  const bytes = [];
  do {
    bytes.push((value % 0x80) | (value >= 0x80 ? 0x80 : 0));
    value = Math.floor(value / 0x80);
  } while (value > 0);
  return Uint8Array.from(bytes);
}

function signed(value) {
  const bytes = [];
  for (;;) {
    const low = value & 0x7f;
    value >>= 7;
    const isDone = (value === 0 && (low & 0x40) === 0) || (value === -1 && (low & 0x40) !== 0);
    bytes.push(isDone ? low : low | 0x80);
    if (isDone) return Uint8Array.from(bytes);
  }
}

function concat(parts) {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let position = 0;
  for (const part of parts) {
    bytes.set(part, position);
    position += part.length;
  }
  return bytes;
}
