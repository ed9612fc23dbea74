//! Tests of the ordinary operations.

use super::{
    ArgumentsMap, Attributes, ElementsError, IntegrityLevel, Lookup, Object, ObjectFlags, ObjectKind, PackedValue,
    PropertyDescriptor,
};
use crate::heap::{Gc, Heap};
use crate::names::keys;
use crate::property_key::PropertyKey;
use crate::value::Value;

fn key(heap: &mut Heap, text: &str) -> PropertyKey {
    heap.key_from_str(text)
}

fn value_of(heap: &Heap, object: Gc<Object>, key: PropertyKey) -> Option<Value> {
    match heap.lookup(object, key) {
        Lookup::Found(found) => Some(found.value),
        _ => None,
    }
}

fn texts(heap: &mut Heap, object: Gc<Object>) -> Vec<String> {
    heap.own_keys(object).into_iter().map(|key| key.display(heap)).collect()
}

#[test]
fn literals_need_no_transitions_after_the_first() {
    let mut heap = Heap::new();
    let names: Vec<PropertyKey> = (0..6).map(|i| key(&mut heap, &format!("p{i}"))).collect();
    let shape = heap.shape_for_literal(None, &names);
    let values: Vec<Value> = (0..6).map(Value::int).collect();
    let object = heap.new_object_with_shape(shape, &values);
    for (i, &name) in names.iter().enumerate() {
        assert_eq!(value_of(&heap, object, name), Some(Value::int(i as i32)));
    }
    let other = heap.new_object(None);
    for (i, &name) in names.iter().enumerate() {
        heap.add_property(other, name, Value::int(i as i32), Attributes::ALL);
    }
    assert_eq!(heap[other].shape(), heap[object].shape());
    let few = heap.shape_for_literal(None, &names[..2]);
    let small = heap.new_object_with_shape(few, &values[..2]);
    assert_eq!(heap[small].slot(1), Value::int(1));
    assert_eq!(heap[small].slot(7), Value::EMPTY);
}

#[test]
fn keys_come_in_order() {
    let mut heap = Heap::new();
    let object = heap.new_object(None);
    let symbol = heap.new_symbol(None);
    let private = heap.new_private_symbol(crate::names::NAME);
    heap.add_property(object, PropertyKey::symbol(symbol), Value::NULL, Attributes::ALL);
    heap.add_property(object, PropertyKey::symbol(private), Value::NULL, Attributes::ALL);
    for text in ["b", "10", "a", "2", "-1", "length"] {
        let key = key(&mut heap, text);
        assert_eq!(heap.create_data_property(object, key, Value::NULL), Ok(true));
    }
    assert_eq!(texts(&mut heap, object), ["2", "10", "b", "a", "-1", "length", "Symbol()"]);
    let key = key(&mut heap, "b");
    assert!(heap.delete_own(object, key));
    assert_eq!(heap.create_data_property(object, key, Value::NULL), Ok(true));
    assert_eq!(texts(&mut heap, object), ["2", "10", "a", "-1", "length", "b", "Symbol()"]);
    assert!(matches!(heap.own_private(object, PropertyKey::symbol(private)), Lookup::Found(_)));
}

#[test]
fn deleting_the_last_property_goes_back() {
    let mut heap = Heap::new();
    let object = heap.new_object(None);
    let (a, b) = (key(&mut heap, "a"), key(&mut heap, "b"));
    heap.add_property(object, a, Value::int(1), Attributes::ALL);
    let shape = heap[object].shape();
    heap.add_property(object, b, Value::int(2), Attributes::ALL);
    assert!(heap.delete_own(object, b));
    assert_eq!(heap[object].shape(), shape);
    assert_eq!(heap.lookup(object, b), Lookup::Missing);
}

#[test]
fn dictionaries_survive_churn() {
    let mut heap = Heap::new();
    let object = heap.new_object(None);
    for i in 0..500 {
        let key = key(&mut heap, &format!("k{i}"));
        heap.add_property(object, key, Value::int(i), Attributes::ALL);
    }
    assert!(heap[heap[object].shape()].is_dictionary());
    for i in (0..500).filter(|i| i % 5 != 0) {
        let key = key(&mut heap, &format!("k{i}"));
        assert!(heap.delete_own(object, key));
    }
    for i in 0..500 {
        let key = key(&mut heap, &format!("k{i}"));
        let expected = (i % 5 == 0).then_some(Value::int(i));
        assert_eq!(value_of(&heap, object, key), expected, "k{i}");
    }
    assert_eq!(heap.own_keys(object).len(), 100);
    assert!(heap[heap[object].shape()].slot_count() < 250);
    let again = key(&mut heap, "k1");
    heap.add_property(object, again, Value::TRUE, Attributes::HIDDEN);
    assert_eq!(value_of(&heap, object, again), Some(Value::TRUE));
}

#[test]
fn cached_dictionaries_change_their_shape() {
    let mut heap = Heap::new();
    let object = heap.new_object(None);
    let (a, b) = (key(&mut heap, "a"), key(&mut heap, "b"));
    heap.add_property(object, a, Value::int(1), Attributes::ALL);
    heap.add_property(object, b, Value::int(2), Attributes::ALL);
    assert!(heap.delete_own(object, a));
    let shape = heap[object].shape();
    assert!(heap[shape].is_dictionary());
    heap.note_cached(shape);
    heap.add_property(object, a, Value::int(3), Attributes::ALL);
    assert_eq!(heap[object].shape(), shape);
    assert!(heap.delete_own(object, b));
    assert_ne!(heap[object].shape(), shape);
}

#[test]
fn prototypes_are_found_and_watched() {
    let mut heap = Heap::new();
    let parent = heap.new_object(None);
    let child = heap.new_object(Some(parent));
    let x = key(&mut heap, "x");
    let epoch = heap.prototype_epoch;
    heap.add_property(parent, x, Value::int(1), Attributes::ALL);
    assert_ne!(heap.prototype_epoch, epoch);
    assert_eq!(value_of(&heap, child, x), Some(Value::int(1)));
    let epoch = heap.prototype_epoch;
    heap.add_property(child, x, Value::int(2), Attributes::ALL);
    assert_eq!(heap.prototype_epoch, epoch);
    let other = heap.new_object(None);
    heap.set_prototype(child, Some(other));
    assert_eq!(heap.prototype_of(child), Some(other));
    assert_eq!(value_of(&heap, child, x), Some(Value::int(2)));
    let epoch = heap.prototype_epoch;
    heap.set_prototype(parent, Some(other));
    assert_ne!(heap.prototype_epoch, epoch);
}

#[test]
fn definitions_are_validated() {
    let mut heap = Heap::new();
    let object = heap.new_object(None);
    let x = key(&mut heap, "x");
    let constant = PropertyDescriptor::data(Value::int(1), Attributes::NONE);
    assert_eq!(heap.define_own(object, x, &constant), Ok(true));
    assert_eq!(heap.define_own(object, x, &constant), Ok(true));
    assert_eq!(heap.define_own(object, x, &PropertyDescriptor::only_value(Value::double(1.0))), Ok(true));
    assert_eq!(heap.define_own(object, x, &PropertyDescriptor::only_value(Value::int(2))), Ok(false));
    let writable = PropertyDescriptor { writable: Some(true), ..Default::default() };
    assert_eq!(heap.define_own(object, x, &writable), Ok(false));
    assert!(!heap.delete_own(object, x));

    let y = key(&mut heap, "y");
    let getter = Value::object(heap.new_object(None));
    let accessor = PropertyDescriptor { getter: Some(getter), configurable: Some(true), ..Default::default() };
    assert_eq!(heap.define_own(object, y, &accessor), Ok(true));
    let Lookup::Found(found) = heap.own_lookup(object, y) else { panic!("defined above") };
    assert!(found.is_accessor() && found.attributes.is_accessor());
    let setter = PropertyDescriptor { setter: Some(getter), ..Default::default() };
    assert_eq!(heap.define_own(object, y, &setter), Ok(true));
    let Lookup::Found(found) = heap.own_lookup(object, y) else { panic!("defined above") };
    assert_eq!((heap.getter_of(found.value), heap.setter_of(found.value)), (getter, getter));
    let enumerable = PropertyDescriptor { enumerable: Some(true), ..Default::default() };
    assert_eq!(heap.define_own(object, y, &enumerable), Ok(true));
    let Lookup::Found(found) = heap.own_lookup(object, y) else { panic!("defined above") };
    assert_eq!(found.attributes, Attributes::ENUMERABLE | Attributes::CONFIGURABLE | Attributes::ACCESSOR);
    assert_eq!(heap.define_own(object, y, &PropertyDescriptor::only_value(Value::TRUE)), Ok(true));
    let Lookup::Found(found) = heap.own_lookup(object, y) else { panic!("defined above") };
    assert_eq!((found.value, found.attributes), (Value::TRUE, Attributes::ENUMERABLE | Attributes::CONFIGURABLE));
}

#[test]
fn array_lengths() {
    let mut heap = Heap::new();
    let array = heap.new_array(None, &[Value::int(1), Value::int(2), Value::int(3)]);
    assert_eq!(value_of(&heap, array, keys::LENGTH), Some(Value::int(3)));
    assert_eq!(texts(&mut heap, array), ["0", "1", "2", "length"]);
    heap.array_push(array, Value::int(4)).unwrap();
    assert_eq!(heap.create_data_property(array, PropertyKey::index(9), Value::TRUE), Ok(true));
    assert_eq!(heap.array_length(array), 10);
    assert_eq!(heap.lookup(array, PropertyKey::index(5)), Lookup::Missing);
    let two = PropertyDescriptor::only_value(Value::int(2));
    assert_eq!(heap.define_own(array, keys::LENGTH, &two), Ok(true));
    assert_eq!(texts(&mut heap, array), ["0", "1", "length"]);
    let bad = PropertyDescriptor::only_value(Value::double(1.5));
    assert_eq!(heap.define_own(array, keys::LENGTH, &bad), Err(ElementsError::InvalidLength));

    let fixed = PropertyDescriptor::data(Value::int(1), Attributes::WRITABLE);
    assert_eq!(heap.define_own(array, PropertyKey::index(1), &fixed), Ok(true));
    let zero = PropertyDescriptor { writable: Some(false), ..PropertyDescriptor::only_value(Value::int(0)) };
    assert_eq!(heap.define_own(array, keys::LENGTH, &zero), Ok(false));
    assert_eq!(heap.array_length(array), 2);
    assert_eq!(heap.create_data_property(array, PropertyKey::index(2), Value::TRUE), Ok(false));
    assert_eq!(heap.define_own(array, keys::LENGTH, &PropertyDescriptor::only_value(Value::int(5))), Ok(false));

    let long = heap.new_array(None, &[]);
    let max = PropertyDescriptor::only_value(Value::from(u32::MAX));
    assert_eq!(heap.define_own(long, keys::LENGTH, &max), Ok(true));
    assert_eq!(heap.array_length(long), u32::MAX);
}

#[test]
fn integrity_levels() {
    let mut heap = Heap::new();
    let array = heap.new_array(None, &[Value::int(1), Value::EMPTY, Value::int(3)]);
    let name = key(&mut heap, "name");
    heap.add_property(array, name, Value::NULL, Attributes::ALL);
    assert!(!heap.test_integrity(array, IntegrityLevel::Sealed));
    heap.set_integrity(array, IntegrityLevel::Sealed);
    assert!(heap.test_integrity(array, IntegrityLevel::Sealed));
    assert!(!heap.test_integrity(array, IntegrityLevel::Frozen));
    assert!(!heap.delete_own(array, PropertyKey::index(0)));
    let four = PropertyDescriptor::only_value(Value::int(4));
    assert_eq!(heap.define_own(array, PropertyKey::index(0), &four), Ok(true));
    assert_eq!(value_of(&heap, array, PropertyKey::index(0)), Some(Value::int(4)));
    assert_eq!(heap.create_data_property(array, PropertyKey::index(1), Value::NULL), Ok(false));
    let zero = PropertyDescriptor::only_value(Value::int(0));
    assert_eq!(heap.define_own(array, keys::LENGTH, &zero), Ok(false));
    assert_eq!(heap.array_length(array), 3);
    heap.set_integrity(array, IntegrityLevel::Frozen);
    assert!(heap.test_integrity(array, IntegrityLevel::Frozen));
    let five = PropertyDescriptor::only_value(Value::int(5));
    assert_eq!(heap.define_own(array, PropertyKey::index(0), &five), Ok(false));
    assert_eq!(heap.define_own(array, name, &five), Ok(false));

    let plain = heap.new_object(None);
    heap.add_property(plain, name, Value::NULL, Attributes::ALL);
    let shape = heap[plain].shape();
    let twin = heap.new_object_with_shape(shape, &[Value::NULL]);
    heap.set_integrity(plain, IntegrityLevel::Frozen);
    assert_ne!(heap[plain].shape(), shape);
    heap.set_integrity(twin, IntegrityLevel::Frozen);
    assert_eq!(heap[plain].shape(), heap[twin].shape());
    let bare = heap.new_object(None);
    let before = heap[bare].shape();
    heap.prevent_extensions(bare);
    assert_ne!(heap[bare].shape(), before);
    assert!(heap.test_integrity(bare, IntegrityLevel::Frozen));
}

#[test]
fn mapped_arguments_follow_their_variables() {
    let mut heap = Heap::new();
    let environment = heap.new_environment(None, 2);
    heap[environment].set(1, Value::int(7));
    let map = ArgumentsMap { environment, slots: vec![Some(1), None] };
    let arguments = heap.new_mapped_arguments(None, &[Value::int(7), Value::int(8)], map);
    let (zero, one) = (PropertyKey::index(0), PropertyKey::index(1));
    heap[environment].set(1, Value::int(9));
    assert_eq!(value_of(&heap, arguments, zero), Some(Value::int(9)));
    assert_eq!(value_of(&heap, arguments, one), Some(Value::int(8)));
    assert_eq!(heap.define_own(arguments, zero, &PropertyDescriptor::only_value(Value::int(10))), Ok(true));
    assert_eq!(heap[environment].get(1), Value::int(10));
    let hidden = PropertyDescriptor { enumerable: Some(false), ..Default::default() };
    assert_eq!(heap.define_own(arguments, zero, &hidden), Ok(true));
    heap[environment].set(1, Value::int(11));
    assert_eq!(value_of(&heap, arguments, zero), Some(Value::int(11)));
    let constant = PropertyDescriptor { writable: Some(false), ..Default::default() };
    assert_eq!(heap.define_own(arguments, zero, &constant), Ok(true));
    heap[environment].set(1, Value::int(12));
    assert_eq!(value_of(&heap, arguments, zero), Some(Value::int(11)));
    assert!(heap.delete_own(arguments, zero));
    assert_eq!(heap.lookup(arguments, zero), Lookup::Missing);
}

#[test]
fn string_objects_show_their_characters() {
    let mut heap = Heap::new();
    let string = heap.new_string("ab");
    let kind = ObjectKind::Primitive(PackedValue::new(Value::string(string)));
    let object = heap.new_object_of_kind(None, kind);
    assert!(heap[object].flags.intersects(ObjectFlags::EXOTIC));
    assert_eq!(heap.lookup(object, PropertyKey::index(1)), Lookup::Exotic(object));
    assert_eq!(heap.lookup(object, PropertyKey::index(2)), Lookup::Missing);
    assert_eq!(value_of(&heap, object, keys::LENGTH), Some(Value::int(2)));
    let five = PropertyKey::index(5);
    assert_eq!(heap.define_own(object, five, &PropertyDescriptor::data(Value::NULL, Attributes::ALL)), Ok(true));
    assert_eq!(texts(&mut heap, object), ["0", "1", "5", "length"]);
    assert_eq!(heap.string_own_property(string, PropertyKey::index(0)).map(|v| v.is_string()), Some(true));
}
