//! Property attributes and descriptors.

use std::ops::{BitAnd, BitOr};

use crate::value::Value;

/// The attributes of a property: a set of [`Attributes::WRITABLE`], [`Attributes::ENUMERABLE`] and
/// [`Attributes::CONFIGURABLE`], plus [`Attributes::ACCESSOR`] for accessor properties (which are never writable).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Attributes(u8);

impl Attributes {
    /// No attribute: a constant.
    pub const NONE: Attributes = Attributes(0);
    /// \[\[Writable]]
    pub const WRITABLE: Attributes = Attributes(1);
    /// \[\[Enumerable]]
    pub const ENUMERABLE: Attributes = Attributes(2);
    /// \[\[Configurable]]
    pub const CONFIGURABLE: Attributes = Attributes(4);
    /// The property is an accessor property.
    pub const ACCESSOR: Attributes = Attributes(8);
    /// Writable, enumerable, configurable: what assignment creates.
    pub const ALL: Attributes = Attributes(7);
    /// Writable and configurable: methods of builtins.
    pub const HIDDEN: Attributes = Attributes(5);

    /// The attributes with these bits: 1 writable, 2 enumerable, 4 configurable, 8 accessor.
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & 15)
    }

    /// The bits: 1 writable, 2 enumerable, 4 configurable, 8 accessor.
    #[inline]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Whether all of `other` are among these.
    #[inline]
    pub const fn contains(self, other: Attributes) -> bool {
        self.0 & other.0 == other.0
    }

    /// \[\[Writable]]
    #[inline]
    pub const fn is_writable(self) -> bool {
        self.contains(Self::WRITABLE)
    }

    /// \[\[Enumerable]]
    #[inline]
    pub const fn is_enumerable(self) -> bool {
        self.contains(Self::ENUMERABLE)
    }

    /// \[\[Configurable]]
    #[inline]
    pub const fn is_configurable(self) -> bool {
        self.contains(Self::CONFIGURABLE)
    }

    /// Whether the property is an accessor property.
    #[inline]
    pub const fn is_accessor(self) -> bool {
        self.contains(Self::ACCESSOR)
    }

    /// These without `other`.
    #[must_use]
    pub const fn without(self, other: Attributes) -> Self {
        Self(self.0 & !other.0)
    }

    /// These with or without `other`.
    #[must_use]
    pub const fn with(self, other: Attributes, on: bool) -> Self {
        if on { Self(self.0 | other.0) } else { self.without(other) }
    }
}

impl BitOr for Attributes {
    type Output = Attributes;

    fn bitor(self, other: Attributes) -> Attributes {
        Attributes(self.0 | other.0)
    }
}

impl BitAnd for Attributes {
    type Output = Attributes;

    fn bitand(self, other: Attributes) -> Attributes {
        Attributes(self.0 & other.0)
    }
}

/// A Property Descriptor, any field of which may be absent
/// (<https://tc39.es/ecma262/#sec-property-descriptor-specification-type>).
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct PropertyDescriptor {
    /// \[\[Value]]
    pub value: Option<Value>,
    /// \[\[Get]]: undefined or callable.
    pub getter: Option<Value>,
    /// \[\[Set]]: undefined or callable.
    pub setter: Option<Value>,
    /// \[\[Writable]]
    pub writable: Option<bool>,
    /// \[\[Enumerable]]
    pub enumerable: Option<bool>,
    /// \[\[Configurable]]
    pub configurable: Option<bool>,
}

impl PropertyDescriptor {
    /// A fully populated data descriptor.
    pub fn data(value: Value, attributes: Attributes) -> Self {
        Self {
            value: Some(value),
            writable: Some(attributes.is_writable()),
            enumerable: Some(attributes.is_enumerable()),
            configurable: Some(attributes.is_configurable()),
            ..Self::default()
        }
    }

    /// A fully populated accessor descriptor.
    pub fn accessor(getter: Value, setter: Value, attributes: Attributes) -> Self {
        Self {
            getter: Some(getter),
            setter: Some(setter),
            enumerable: Some(attributes.is_enumerable()),
            configurable: Some(attributes.is_configurable()),
            ..Self::default()
        }
    }

    /// A descriptor with nothing but a value.
    pub fn only_value(value: Value) -> Self {
        Self { value: Some(value), ..Self::default() }
    }

    /// IsAccessorDescriptor
    pub fn is_accessor(&self) -> bool {
        self.getter.is_some() || self.setter.is_some()
    }

    /// IsDataDescriptor
    pub fn is_data(&self) -> bool {
        self.value.is_some() || self.writable.is_some()
    }

    /// IsGenericDescriptor
    pub fn is_generic(&self) -> bool {
        !self.is_accessor() && !self.is_data()
    }

    /// The attributes of a new property made from this descriptor: absent fields are false.
    pub fn attributes_or_false(&self) -> Attributes {
        self.attributes_or(Attributes::NONE)
    }

    /// The attributes with absent fields taken from `current`.
    pub fn attributes_or(&self, current: Attributes) -> Attributes {
        let writable = self.writable.unwrap_or(current.is_writable()) && !self.is_accessor();
        Attributes::NONE
            .with(Attributes::WRITABLE, writable)
            .with(Attributes::ENUMERABLE, self.enumerable.unwrap_or(current.is_enumerable()))
            .with(Attributes::CONFIGURABLE, self.configurable.unwrap_or(current.is_configurable()))
            .with(Attributes::ACCESSOR, self.is_accessor())
    }

    /// CompletePropertyDescriptor (<https://tc39.es/ecma262/#sec-completepropertydescriptor>)
    #[must_use]
    pub fn completed(self) -> Self {
        let enumerable = Some(self.enumerable.unwrap_or(false));
        let configurable = Some(self.configurable.unwrap_or(false));
        if self.is_accessor() {
            Self {
                getter: Some(self.getter.unwrap_or(Value::UNDEFINED)),
                setter: Some(self.setter.unwrap_or(Value::UNDEFINED)),
                enumerable,
                configurable,
                ..Self::default()
            }
        } else {
            Self {
                value: Some(self.value.unwrap_or(Value::UNDEFINED)),
                writable: Some(self.writable.unwrap_or(false)),
                enumerable,
                configurable,
                ..Self::default()
            }
        }
    }
}
