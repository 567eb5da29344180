"""Words that messages are made of, and that are therefore no names of the input.

A word of a message that also stands in the input becomes a placeholder, unless it is one of these:
keywords and built-in types say what went wrong (`expected int`), and the vocabulary of diagnostics
is the message itself, even if the input happens to have a variable `value`.
"""

from __future__ import annotations

from typing import Final

#: Keywords, built-in types and constants of common languages, in one case.
KEYWORDS: Final = frozenset(
    """
abstract alias align and any array as asm assert async atom atomic auto await base begin bignum
bigint binary bit bits blob bool boolean break byte bytes call case cast catch char character class
clob closure co_await co_return co_yield complex component const consteval constexpr constinit
constructor continue crate datatype date datetime decimal decltype declare def default defer define
delegate delete derive destructor dict dictionary do double downto dtype dyn elif else elseif elsif
end endfunction endif endmodule enum event eval except export extends extern external false fi final
finally fixnum float float32 float64 fn for foreach forall forward friend from fun func function
generic get global go goto i1 i128 i16 i32 i64 i8 if immutable impl implements implicit import in
include inherited initial inline inout input instance instanceof int int128 int16 int32 int64 int8
integer interface internal into is isize iterator join keyof lambda lazy let library list local long
longint loop macro main map match method mod module mut mutable namespace nan native new nil nilclass
none nonetype nonlocal noreturn not null nullable nullptr number numeric object of on only op opaque
open operator option optional or otherwise out output override package pass pointer pragma private
procedure program property protected protocol pub public pure raise range readonly real record ref
register repeat require requires resource restrict return sealed select self set shape shared short
shortint shortstring signature signed sizeof slice smallint static static_assert str string strong
struct sub subroutine super switch symbol synchronized table template text then this throw throws
time timestamp to trait transient true try tuple type typedef typeid typename typeof u128 u16 u32 u64
u8 uint uint16 uint32 uint64 uint8 unchecked undefined union unit unless unsafe unsigned unsized
until use using usize uuid val var varchar variant vec vector view virtual void volatile wchar weak
when where while with word xor yield
""".split()
)

#: What diagnostics are worded with.
VOCABULARY: Final = frozenset(
    """
a aborted aborting about above access accepts access across actual add additional address after
again against aka all allocate allocated allocation allow allowed already also always ambiguous an
annotation another apparent applicable application applied apply are aren argument arguments
arising arity assertion assign assigned assignment associated at attempt attempted attribute back
backend bad be because been before behind being below between beyond binding block body borrow
borrowed both bound bounds bracket branch broken brackets buffer bug but by called caller calls can
candidate candidates cannot caused caught chain change characters check checked child choose circular
clause close closed closing code collection column columns command comma comment compare comparison
compatible compile compiler compiling complete computed condition conflict conflicting conflicts
constant constants constraint constraints contain contained containing contains content context
conversion convert converted corrupt corrupted could couldn count crash created current currently
cycle data dead deadlock debug declaration declared deep defined definition definitions deleted depth
dereference derived detected did didn different digit dimension dimensions directive directory
disallowed discarded division does doesn don done dump duplicate duplicated during each earlier
either element elements empty encoding encountered ended entry eof equal error errors escape evaluate
evaluated evaluates evaluating evaluation exactly exceeded exceeds exception executable executed
executing execution exhausted exist existing exists exit expand expanding expansion expect expected
expecting explicit exponent expression expressions failed fails failure fatal few field fields file
files first following format formed forms found frame free full functions generate generated got
greater group guard had halted handle handled has have heap here hint identical identifier ignored
illegal implement implementation implemented inappropriate inaccessible incompatible incomplete
inconsistent incorrect index indices inference infinite inherit initialise initialised initialize
initialized initializer inlined inner insn inside instantiated instantiation instead instruction
invalid invocation invoked isn it item items its itself jump key keys keyword kind known label
large last layout leak least left length less letter lexical like limit line lines link linker literal
load loading loc locale location lock look lookup lost made makes malformed many marked matched
matches matching maximum may maybe mean meant member memory message minimum mismatch mismatched
misplaced missing mixed modified modifier modify modulo more most move moved multiple must name named
names nearby need needed needs negative nested newline no node non nor note nothing now numerical
objects occurred occurs off offset old once one only opcode operand operands operation operators
operator's options order ordinary origin original other others outer outside overflow overload
overloaded overloads overwritten pair parameter parameters parent parenthesis parentheses parse
parsed parser parsing part passed passing path pattern patterns permitted phase place please position
positional possible possibly precision previous previously primitive printed problem process produced
prohibited provide provided qualifier query quote quoted raised random reach reached read reading
reads reason received recognized recursion recursive redeclared redefined redefinition reference
referenced references refers regexp regular rejected relation released remaining remove removed
renamed repeated reported required reserved resolve resolved result results returned returns root
row rule running runtime same satisfied satisfy scalar scanning scope script section see segment
semicolon sent separator sequence should sides size skipped smaller so some something source space
specified specifier stack start started statement statements still stop store stored structure such
sufficiently suggestion supported supposed symbols syntax system tag take takes target terminated
terminator test than that the their there these they thing this those thread threads three threw
through thrown times token tokens too top trace trailing tree tried trying two types unable unbalanced
unbound uncaught unclosed undeclared unexpected unfinished unhandled unimplemented unique
unmatched unknown unqualified unreachable unrecognised unrecognized unresolved unsatisfied unsound
unsupported unterminated unused up usage used uses valid value values variable variables version via
violated violation visible visit warning was way we were what which white whitespace whole width will
within without won words worker would write writing written wrong yet you your zero
""".split()
)

#: Behind these words stands what a parser happened to meet: whatever it is, it is of the input.
MET: Final = frozenset(
    "near unexpected found before got token at after symbol character input line behind".split()
)

#: Behind these stands what a parser would have liked: it tells failures apart.
LIKED: Final = frozenset("expected expecting missing expects wanted needs lacks".split())
