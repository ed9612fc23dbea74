//! The tree that dotted tool paths make, and which tool a wrong path may have meant.

use std::collections::BTreeMap;

use crate::ToolDefinition;

/// Most close matches that are named.
const MAX_SUGGESTIONS: usize = 5;

/// All tools by the segments of their paths.
#[derive(Debug)]
pub(crate) struct ToolTree {
    nodes: Vec<Node>,
}

/// A point of the tree: a namespace, a tool, or both.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// Canonical path, empty for the root.
    pub path: String,
    /// Children by segment, in the order in which they were first named.
    pub children: Vec<(String, NodeId)>,
    /// The tool here, as an index into the definitions.
    pub tool: Option<usize>,
    by_name: BTreeMap<String, NodeId>,
}

/// Names a node of a [`ToolTree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(pub u32);

impl ToolTree {
    /// The root.
    pub const ROOT: NodeId = NodeId(0);

    /// Builds the tree. The last tool with a path wins.
    ///
    /// # Errors
    /// One sentence when a path has an empty segment.
    pub fn build(tools: &[ToolDefinition]) -> Result<ToolTree, String> {
        let mut tree = ToolTree { nodes: vec![Node::default()] };
        for (index, tool) in tools.iter().enumerate() {
            if tool.path.split('.').any(str::is_empty) {
                return Err(format!("The tool path {:?} has an empty segment.", tool.path));
            }
            let mut at = Self::ROOT;
            for segment in tool.path.split('.') {
                at = tree.child_or_insert(at, segment);
            }
            tree.nodes[at.0 as usize].tool = Some(index);
        }
        Ok(tree)
    }

    /// The node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// All nodes with their ids, parents before children.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// The child that a program means by `name`: spelled exactly so, or with other signs where `name` has `_` or `-`.
    pub fn find_child(&self, parent: NodeId, name: &str) -> Option<NodeId> {
        let node = self.node(parent);
        if let Some(&exact) = node.by_name.get(name) {
            return Some(exact);
        }
        let wanted = name.replace('-', "_");
        node.children.iter().find(|(child, _)| to_identifier(child) == wanted).map(|&(_, id)| id)
    }

    /// Paths that may have been meant by `path`, best first.
    pub fn close_matches(&self, path: &str) -> Vec<&str> {
        let wanted = letters(path);
        let (namespace, last) = path.rsplit_once('.').unwrap_or(("", path));
        let wanted_last = letters(last);
        let tolerance = (wanted_last.len() / 3).max(1);
        let mut ranked: Vec<(usize, &str)> = self
            .nodes
            .iter()
            .filter(|node| node.tool.is_some())
            .filter_map(|node| {
                let candidate = node.path.as_str();
                let (in_namespace, name) = candidate.rsplit_once('.').unwrap_or(("", candidate));
                let name = letters(name);
                let elsewhere = if in_namespace == namespace { 0 } else { 1 };
                let rank = if letters(candidate) == wanted {
                    0
                } else if name == wanted_last {
                    1 + elsewhere
                } else {
                    let distance = edit_distance(&name, &wanted_last);
                    let whole = edit_distance(&letters(candidate), &wanted);
                    if distance <= tolerance {
                        10 + 2 * distance + elsewhere
                    } else if whole <= (wanted.len() / 4).max(1) {
                        20 + whole
                    } else if wanted_last.len() > 2 && (name.contains(&wanted_last) || wanted_last.contains(&name)) {
                        40 + elsewhere
                    } else {
                        return None;
                    }
                };
                Some((rank, candidate))
            })
            .collect();
        ranked.sort();
        ranked.into_iter().take(MAX_SUGGESTIONS).map(|(_, path)| path).collect()
    }

    /// Paths of all tools, in the order of their nodes.
    pub fn tool_paths(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().filter(|node| node.tool.is_some()).map(|node| node.path.as_str())
    }

    fn child_or_insert(&mut self, parent: NodeId, segment: &str) -> NodeId {
        if let Some(&child) = self.nodes[parent.0 as usize].by_name.get(segment) {
            return child;
        }
        let id = NodeId(self.nodes.len() as u32);
        let parent = &mut self.nodes[parent.0 as usize];
        let path = if parent.path.is_empty() { segment.to_owned() } else { format!("{}.{segment}", parent.path) };
        parent.children.push((segment.to_owned(), id));
        parent.by_name.insert(segment.to_owned(), id);
        self.nodes.push(Node { path, ..Node::default() });
        id
    }
}

/// The name as an identifier: what cannot stand in one becomes `_`, and so do a digit at the beginning and nothing at all.
pub(crate) fn to_identifier(name: &str) -> String {
    let mut identifier = String::with_capacity(name.len().max(1));
    for (index, character) in name.chars().enumerate() {
        let is_valid = character.is_ascii_alphabetic()
            || matches!(character, '_' | '$')
            || (character.is_ascii_digit() && index > 0);
        identifier.push(if is_valid { character } else { '_' });
    }
    if identifier.is_empty() {
        identifier.push('_');
    }
    identifier
}

/// The expression by which a program calls the tool, for example `tools.orders.lookup` or `tools["a-b"].c`.
pub(crate) fn tool_expression(path: &str) -> String {
    let mut expression = String::from("tools");
    for segment in path.split('.') {
        if to_identifier(segment) == segment {
            expression.push('.');
            expression.push_str(segment);
        } else {
            expression.push('[');
            crate::json::push_string(&mut expression, segment);
            expression.push(']');
        }
    }
    expression
}

/// Lower-case letters and digits.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Levenshtein distance; names are short.
fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &b) in right.iter().enumerate() {
            let substituted = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(paths: &[&str]) -> ToolTree {
        let tools: Vec<ToolDefinition> =
            paths.iter().map(|path| ToolDefinition { path: (*path).into(), ..ToolDefinition::default() }).collect();
        ToolTree::build(&tools).unwrap()
    }

    #[test]
    fn last_tool_wins_and_namespaces_merge() {
        let tree = tree(&["a.b", "a", "a.c", "a.b"]);
        let a = tree.find_child(ToolTree::ROOT, "a").unwrap();
        assert_eq!(tree.node(a).tool, Some(1));
        let names: Vec<&str> = tree.node(a).children.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["b", "c"]);
        assert_eq!(tree.node(tree.find_child(a, "b").unwrap()).tool, Some(3));
    }

    #[test]
    fn segments_are_inert() {
        let tree = tree(&["__proto__.constructor", "toString"]);
        let proto = tree.find_child(ToolTree::ROOT, "__proto__").unwrap();
        assert!(tree.find_child(proto, "constructor").is_some());
    }

    #[test]
    fn empty_segments_are_refused() {
        for path in ["", "a..b", ".a", "a."] {
            let tool = ToolDefinition { path: path.into(), ..ToolDefinition::default() };
            assert!(ToolTree::build(&[tool]).is_err(), "{path:?}");
        }
    }

    #[test]
    fn spellings() {
        let tree = tree(&["read-file", "read_file", "a-b_c", "x y"]);
        let path = |name| tree.find_child(ToolTree::ROOT, name).map(|id| tree.node(id).path.clone());
        assert_eq!(path("read-file").as_deref(), Some("read-file"));
        assert_eq!(path("read_file").as_deref(), Some("read_file"));
        assert_eq!(path("a_b_c").as_deref(), Some("a-b_c"));
        assert_eq!(path("x_y").as_deref(), Some("x y"));
        assert_eq!(path("nope"), None);
    }

    #[test]
    fn close_matches() {
        let tree = tree(&["orders.lookup", "orders.list", "users.lookup", "weather"]);
        assert_eq!(tree.close_matches("orders.lookUp")[0], "orders.lookup");
        assert_eq!(tree.close_matches("lookup"), ["orders.lookup", "users.lookup"]);
        assert_eq!(tree.close_matches("order.lookup")[0], "orders.lookup");
        assert_eq!(tree.close_matches("wether"), ["weather"]);
        assert!(tree.close_matches("zzz").is_empty());
    }

    #[test]
    fn identifiers_and_expressions() {
        assert_eq!(to_identifier("my-tool"), "my_tool");
        assert_eq!(to_identifier("1st"), "_st");
        assert_eq!(to_identifier(""), "_");
        assert_eq!(tool_expression("a.b-c.d"), "tools.a[\"b-c\"].d");
    }
}
