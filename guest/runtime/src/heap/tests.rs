//! Tests of the collector.

use super::{Gc, Heap};
use crate::names;
use crate::object::{Attributes, FinalizationCell, FinalizationRegistry, Object, ObjectKind, PackedValue};
use crate::property_key::PropertyKey;
use crate::value::Value;

fn add(heap: &mut Heap, object: Gc<Object>, text: &str, value: Value) {
    let key = heap.key_from_str(text);
    heap.add_property(object, key, value, Attributes::ALL);
}

#[test]
fn only_reachable_cells_stay() {
    let mut heap = Heap::new();
    heap.collect(|_| {});
    let strings = heap.strings.len();
    let root = heap.new_object(None);
    let element = Value::string(heap.new_string("kept as an element"));
    let child = heap.new_array(None, &[element]);
    add(&mut heap, root, "a property that no one else has", Value::object(child));
    // A cycle that nothing refers to.
    let (left, right) = (heap.new_object(None), heap.new_object(None));
    add(&mut heap, left, "right", Value::object(right));
    add(&mut heap, right, "left", Value::object(left));
    heap.collect(|marker| marker.mark(root));
    assert_eq!(heap.objects.len(), 2);
    assert_eq!(heap.strings.len(), strings + 2);
    heap.collect(|_| {});
    assert_eq!((heap.objects.len(), heap.strings.len()), (0, strings));
}

#[test]
fn long_chains_do_not_recurse() {
    let mut heap = Heap::new();
    let mut last = heap.new_object(None);
    let next = heap.key_from_str("next");
    for _ in 0..200_000 {
        let object = heap.new_object(None);
        heap.add_property(object, next, Value::object(last), Attributes::ALL);
        last = object;
    }
    heap.collect(|marker| marker.mark(last));
    assert_eq!(heap.objects.len(), 200_001);
    assert!(heap.bytes() > 200_000 * size_of::<Object>());
    heap.collect(|_| {});
    assert!(heap.bytes() < 200_000);
    assert!(heap.peak_bytes() > 200_000 * size_of::<Object>());
}

#[test]
fn weak_maps_are_ephemerons() {
    let mut heap = Heap::new();
    let map = heap.new_object_of_kind(None, ObjectKind::WeakMap(Box::default()));
    let keys: Vec<Gc<Object>> = (0..4).map(|_| heap.new_object(None)).collect();
    // Each key is reachable only through the value of the one before; the last one has itself as value.
    let ObjectKind::WeakMap(table) = &mut heap[map].kind else { panic!("made above") };
    table.insert(Value::object(keys[0]), Value::object(keys[1]));
    table.insert(Value::object(keys[1]), Value::object(keys[2]));
    table.insert(Value::object(keys[3]), Value::object(keys[3]));
    heap.collect(|marker| {
        marker.mark(map);
        marker.mark(keys[0]);
    });
    assert_eq!(heap.objects.len(), 4);
    let ObjectKind::WeakMap(table) = &heap[map].kind else { panic!("made above") };
    assert_eq!(table.len(), 2);
    heap.collect(|marker| marker.mark(map));
    assert_eq!(heap.objects.len(), 1);
}

#[test]
fn weak_references_and_registries() {
    let mut heap = Heap::new();
    let (dead, alive) = (heap.new_object(None), heap.new_object(None));
    let weak = heap.new_object_of_kind(None, ObjectKind::WeakRef(PackedValue::new(Value::object(dead))));
    let strong = heap.new_object_of_kind(None, ObjectKind::WeakRef(PackedValue::new(Value::object(alive))));
    let held = Value::string(heap.new_string("this is what is held"));
    let cells = [dead, alive]
        .map(|target| FinalizationCell { target: Value::object(target), held, token: Value::UNDEFINED })
        .to_vec();
    let registry = FinalizationRegistry { cleanup: Value::UNDEFINED, cells, ready: Vec::new() };
    let registry = heap.new_object_of_kind(None, ObjectKind::FinalizationRegistry(Box::new(registry)));
    let collection = heap.collect(|marker| {
        for object in [weak, strong, registry, alive] {
            marker.mark(object);
        }
    });
    assert_eq!(collection.ready_registries, [registry]);
    let ObjectKind::WeakRef(target) = &heap[weak].kind else { panic!("made above") };
    assert_eq!(target.get(), Value::UNDEFINED);
    let ObjectKind::WeakRef(target) = &heap[strong].kind else { panic!("made above") };
    assert_eq!(target.get(), Value::object(alive));
    let ObjectKind::FinalizationRegistry(registry) = &heap[registry].kind else { panic!("made above") };
    assert_eq!((registry.cells.len(), registry.ready.as_slice()), (1, [held].as_slice()));
}

#[test]
fn names_keep_their_handles() {
    let mut heap = Heap::new();
    heap.collect(|_| {});
    assert_eq!(heap.rust_string(names::LENGTH), "length");
    assert_eq!(heap.intern_str("prototype"), names::PROTOTYPE);
    assert_eq!(heap.key_from_str("constructor"), PropertyKey::name(names::CONSTRUCTOR));
}

#[test]
fn the_account_limits() {
    let mut heap = Heap::new();
    heap.set_limit(Some(8 << 20));
    assert!(heap.reserve(1 << 20).is_ok());
    assert!(heap.reserve(20 << 20).is_err());
    assert!(!heap.should_collect());
    heap.charge(9 << 20);
    assert!(heap.should_collect() && heap.over_limit());
    heap.collect(|_| {});
    assert!(!heap.over_limit());
    heap.set_zeal(true);
    assert!(heap.should_collect());
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "stale handle")]
fn stale_handles_are_found() {
    let mut heap = Heap::new();
    heap.set_zeal(true);
    let object = heap.new_object(None);
    heap.collect(|_| {});
    let _ = heap[object].shape();
}
