"""The words of C and C++ that masking looks at, and what becomes of each."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final


class Hide(Enum):
    """What becomes of a construct."""

    #: The word is hidden.
    WORD = auto()
    #: The word is hidden with the brackets behind it.
    CALL = auto()
    #: The word and its brackets look like one name: types stand in them, or it is a type itself.
    NAME = auto()
    #: The same, where a brace or another call follows (`decltype(x){y}`), where a comma stands in
    #: the brackets, and where arguments of templates stand in each other.
    NAME_OF_VALUE = auto()
    #: A type that is no name looks like one in an operand: `(unsigned{x} - 1)`.
    SIZED = auto()
    #: The word is hidden in front of anything but a class.
    FRIEND = auto()
    #: `typename` in front of an operand, and behind `using`.
    TYPENAME = auto()
    #: The word begins a parameter of a template, whose default may end in `*` or `&`.
    PARAMETER = auto()
    #: The word is hidden in front of `template`.
    EXTERN = auto()
    #: The word is hidden where nothing in angle brackets follows: `template class A<int>;`.
    TEMPLATE = auto()
    #: The word is hidden behind `=`, in the default of a parameter of a template.
    CONST = auto()
    #: The word and the operator behind it look like one name in an operand: `return operator~()`.
    OPERATOR = auto()
    #: The word is hidden with the `=` in front of it.
    ASSIGNED = auto()


_BOTH: Final[Mapping[bytes, Hide]] = {
    **dict.fromkeys((b"__attribute__", b"__attribute", b"__declspec"), Hide.CALL),
    **dict.fromkeys(
        (
            b"__extension__",
            b"__restrict",
            b"__restrict__",
            b"__signed__",
            b"__signed",
            b"__const",
            b"__const__",
            b"__volatile",
            b"_Complex",
            b"__complex__",
            b"__real__",
            b"__imag__",
            b"_Noreturn",
            b"__thread",
            b"_Thread_local",
            b"_Nullable",
            b"_Nonnull",
        ),
        Hide.WORD,
    ),
    **dict.fromkeys(
        (
            b"__builtin_va_arg",
            b"__builtin_offsetof",
            b"__builtin_types_compatible_p",
            b"__builtin_convertvector",
            b"__builtin_bit_cast",
        ),
        Hide.NAME,
    ),
}

# The traits that compilers have built in; their arguments are types. The headers have functions
# with names like these (`__is_heap`), so each is named.
_TRAITS: Final = """
    is_same is_base_of is_convertible_to is_convertible is_class is_union is_enum is_empty
    is_polymorphic is_abstract is_final is_trivial is_trivially_copyable is_aggregate is_pod
    is_trivially_constructible is_trivially_assignable is_trivially_destructible is_array
    is_standard_layout is_literal_type is_constructible is_nothrow_constructible is_assignable
    is_nothrow_assignable is_destructible is_nothrow_destructible is_function is_reference
    is_lvalue_reference is_rvalue_reference is_fundamental is_arithmetic is_integral is_void
    is_floating_point is_compound is_const is_volatile is_signed is_unsigned is_object is_scalar
    is_pointer is_member_pointer is_member_object_pointer is_complete_type
    is_member_function_pointer is_layout_compatible is_pointer_interconvertible_base_of
    has_trivial_constructor has_trivial_copy has_trivial_assign has_trivial_destructor
    has_nothrow_constructor has_nothrow_copy has_nothrow_assign has_virtual_destructor
    has_unique_object_representations has_trivial_move_assign has_trivial_move_constructor
    has_nothrow_move_assign reference_binds_to_temporary underlying_type array_rank array_extent
    is_interface_class is_sealed decltype typeof__ typeof
"""

_CPP: Final[Mapping[bytes, Hide]] = {
    **_BOTH,
    **dict.fromkeys((b"__" + one.encode() for one in _TRAITS.split()), Hide.NAME),
    b"decltype": Hide.NAME_OF_VALUE,
    b"typename": Hide.TYPENAME,
    b"typeid": Hide.NAME,
    b"extern": Hide.EXTERN,
    b"template": Hide.TEMPLATE,
    b"_Atomic": Hide.NAME,
    b"const": Hide.CONST,
    b"class": Hide.PARAMETER,
    b"friend": Hide.FRIEND,
    b"delete": Hide.ASSIGNED,
    b"operator": Hide.OPERATOR,
    **dict.fromkeys((b"unsigned", b"signed", b"long", b"short"), Hide.SIZED),
}

#: The words of each language; others are parsed as they are.
HIDDEN_WORDS: Final[Mapping[str, Mapping[bytes, Hide]]] = {"c": _BOTH, "cpp": _CPP}
