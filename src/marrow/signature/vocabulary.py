"""Words that messages are made of, which are therefore not names of the input.

A word of a message that also occurs in the input becomes a placeholder, unless it is one of these:
keywords and built-in types say what went wrong (`expected int`), and the vocabulary of diagnostics
is the message itself, even if the input happens to have a variable `value`.
"""

from __future__ import annotations

from typing import Final

#: Keywords, built-in types and constants of common languages, in one case.
KEYWORDS: Final = frozenset(
    """
abstract alias align and any array as asm assert async atom atomic auto await begin bignum
bigint binary blob bool boolean break byte bytes case cast catch char character class
clob closure co_await co_return co_yield complex const consteval constexpr constinit
continue crate datatype datetime decimal decltype declare def default defer define
delegate delete derive dict dictionary do double downto dtype dyn elif else elseif elsif
end endfunction endif endmodule enum eval except export extends extern external false fi final
finally fixnum float float32 float64 fn for foreach forall forward friend from fun func function
generic go goto i1 i128 i16 i32 i64 i8 if immutable impl implements implicit import in
include inherited initial inline inout input instanceof int int128 int16 int32 int64 int8
integer interface internal into is isize iterator keyof lambda lazy let local long
longint loop macro main module mut mutable namespace nan native new nil nilclass
none nonetype nonlocal noreturn not null nullable nullptr number numeric object of op opaque
operator or otherwise out override package pass pointer pragma private
protected pub public pure raise readonly real ref
require requires restrict return sealed self shared short
shortint shortstring signed sizeof smallint static static_assert str string strong
struct sub subroutine super switch synchronized template then this throw throws
to trait transient true try tuple type typedef typeid typename typeof u128 u16 u32 u64
u8 uint uint16 uint32 uint64 uint8 unchecked undefined union unless unsafe unsigned unsized
until use using usize uuid val var varchar variant vec virtual void volatile wchar weak
where while with xor yield
""".split()
)

#: What diagnostics are worded with.
VOCABULARY: Final = frozenset(
    """
a aborted aborting about above access accepts access across actual add additional address after
again against aka all allocate allocated allocation allow allowed already also always ambiguous an
annotation another apparent applicable application applied apply are aren argument arguments
arising arity assertion assign assigned assignment associated at attempt attempted attribute back
backend bad be because been before behind being below between beyond binding borrow
borrowed both bound bounds broken bug but by called caller calls can
candidate candidates cannot caused caught change check checked choose circular
clause close closed closing compare comparison
compatible compile compiler compiling complete computed condition conflict conflicting conflicts
constant constants constraint constraints contain contained containing contains context
conversion convert converted corrupt corrupted could couldn crash created current currently
cycle dead deadlock debug declaration declared deep defined definition definitions deleted
dereference derived detected did didn different directive
disallowed discarded division does doesn don done duplicate duplicated during each earlier
either empty encoding encountered ended eof equal error errors escape evaluate
evaluated evaluates evaluating evaluation exactly exceeded exceeds exception executable executed
executing execution exhausted exist existing exists exit expand expanding expansion expect expected
expecting explicit exponent expression expressions failed fails failure fatal few
first following formed forms found free functions generate generated got
greater had halted handle handled has have here identical identifier ignored
illegal implement implementation implemented inappropriate inaccessible incompatible incomplete
inconsistent incorrect inference infinite inherit initialise initialised initialize
initialized initializer inlined insn inside instantiated instantiation instead instruction
invalid invocation invoked isn it its itself jump keyword kind known
large last leak least less lexical like link linker literal
load loading loc locale look lost made makes malformed many marked matched
matches matching maximum may maybe mean meant member memory minimum mismatch mismatched
misplaced missing mixed modified modifier modify modulo more most move moved multiple must named
nearby need needed needs negative nested newline no non nor note nothing now numerical
objects occurred occurs off old once one only operand operands operation operators
operator's options ordinary original other others outside overflow overload
overloaded overloads overwritten parameter parameters parenthesis parentheses parse
parsed parser parsing passed passing permitted please
positional possible possibly previous previously primitive printed produced
prohibited provide provided qualifier quote quoted raised reach reached read reading
reads received recognized recursion recursive redeclared redefined redefinition reference
referenced references refers regexp regular rejected relation released remaining remove removed
renamed repeated reported required reserved resolve resolved returned returns
running runtime same satisfied satisfy scanning scope see
semicolon sent should sides skipped smaller so some something
specified specifier started statement statements still stored such
sufficiently suggestion supported supposed symbols syntax take takes terminated
terminator than that the their there these they this those three threw
through thrown too trailing tried trying two types unable unbalanced
unbound uncaught unclosed undeclared unexpected unfinished unhandled unimplemented unique
unmatched unknown unqualified unreachable unrecognised unrecognized unresolved unsatisfied unsound
unsupported unterminated unused up used uses valid value values variable variables via
violated violation visible visit warning was we were what which whitespace whole will
within without won would write writing written wrong yet you your zero
constructor method procedure property
""".split()
)

#: After these words comes what a parser happened to meet: whatever it is, it is of the input.
MET: Final = frozenset(
    "near unexpected found before got token at after symbol character input line behind".split()
)

#: After these comes what a parser would have liked: it tells failures apart.
LIKED: Final = frozenset("expected expecting missing expects wanted needs lacks".split())

#: After these comes the name of something of the input, even if it is a keyword elsewhere:
#: `argument 'default'`. After `to` it takes two: `convert to 'int'` names a type.
NAMED: Final = frozenset(
    """
argument attribute field function identifier label macro member method name named option
parameter procedure property variable
""".split()
) | {"call to", "calls to", "reference to", "access to", "assignment to", "assign to"}
