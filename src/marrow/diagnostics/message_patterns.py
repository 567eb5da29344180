"""How failures look: the forms of messages, as tables.

A form is an expression for a line, and the kind of failure that it tells. The first that matches
counts. Lines are as `source.lines_of` gives them, with one kind of quotation mark.
"""

from __future__ import annotations

import re
from typing import Final

SANITIZER: Final = "sanitizer report"
INTERNAL: Final = "internal error"
ASSERTION: Final = "assertion"
PANIC: Final = "panic"
ABORT: Final = "abort"
EXCEPTION: Final = "exception"
DIAGNOSTIC: Final = "diagnostic"
LINT: Final = "lint"
#: A line that has a word for failures, and one that has none.
REMARK: Final = "remark"
LINE: Final = "line"

#: Which kind tells most: the higher, the more.
WEIGHT: Final = {
    SANITIZER: 90,
    INTERNAL: 80,
    ASSERTION: 75,
    PANIC: 70,
    ABORT: 65,
    EXCEPTION: 60,
    DIAGNOSTIC: 50,
    LINT: 40,
    REMARK: 20,
    LINE: 10,
}


_PERL: Final = r".+ at \S+ line \d+(?:, near .*|, at EOF|, <\w+> (?:line|chunk) \d+)?\.?"


def _forms(kind: str, *expressions: str) -> list[tuple[str, re.Pattern[str]]]:
    return [(kind, re.compile(expression)) for expression in expressions]


#: Forms that are the same whatever stands around them. The group `message` is what is kept, or else
#: all that is matched.
FORMS: Final = (
    *_forms(
        PANIC,
        r"(?P<message>\bthread '[^']*'(?: \(\d+\))? panicked at .*)$",
        r"^(?P<message>thread \d+ panic: .*)$",
        r"^(?:\w+: )?(?P<message>panic: .*)$",
        r"^(?P<message>fatal error: (?:all goroutines are asleep|stack overflow|concurrent map|unexpected signal|sync:|runtime:|out of memory).*)$",
        r"(?P<message>\b[Kk]ernel panic\b.*)$",
    ),
    *_forms(
        SANITIZER,
        r"(?:ERROR|WARNING): (?P<message>\w+Sanitizer: (?!CHECK failed)[\w-]+(?: of size|(?: [\w-]+){0,3})?)",
        r"(?<!panic: )\b(?P<message>runtime error: .+)$",
        r"(?P<message>\w+Sanitizer:? ?CHECK failed: .+)$",
        r"^==\d+== (?P<message>(?:Invalid (?:read|write|free|jump)|Conditional jump|Use of uninitialised"
        r"|Syscall param|Mismatched free|Source and destination overlap|Argument '.*' of function"
        r"|Jump to the invalid|Stack overflow|Possible data race|Process terminating|[\d,]+ (?:\([^)]*\) )?bytes in"
        r").*)$",
    ),
    *_forms(
        INTERNAL,
        r"(?P<message>(?:fatal error: )?error in backend: .+)$",
        r"(?P<message>(?:LLVM|MLIR|CIRCT) ERROR: .+)$",
        r"(?P<message>UNREACHABLE executed.*)$",
        r"^#\s*(?P<message>Fatal error in .+)$",
        r"(?P<message>FATAL ERROR: .+)$",
        r"(?P<message>Fatal Python error: .+)$",
        r"(?P<message>\b[Ii]nternal (?:compiler |consistency |program |parser |linker |assembler )?(?:[Ee]rror|fault|failure)\b.*)$",
        r"(?P<message>\bINTERNAL (?:COMPILER )?ERROR\b.*)$",
        r"(?P<message>\bpanic! \(the 'impossible' happened\).*)$",
        r"(?P<message>\b(?:[Cc]ompiler|[Pp]arser|[Ll]inker|[Ss]olver) (?:crash(?:ed)?|bug)\b.*)$",
        r"^(?P<message>(?:[\w.+-]+: )?(?:BUG|ICE)\b[: ].+)$",
        r"(?P<message>\bSegmentation [Ff]ault\b.*signal terminated program.*)$",
        r"(?P<message>\b(?:unreachable|UNREACHABLE) (?:code|executed|reached)\b.*)$",
        r"(?P<message>(?:Unhandled|Unexpected) (?:internal|compiler) (?:error|exception)\b.*)$",
        r"^(?!\[signal)(?:.*\W)?(?P<message>SIG(?:SEGV|ABRT|BUS|ILL|FPE|TRAP)\b.*)$",
    ),
    *_forms(
        ASSERTION,
        r"^\S+: (?P<message>\S+:\d+: .+: Assertion '.+' failed\b.*)$",
        r"(?P<message>\b[\w-]+-(?:CRITICAL|ERROR) \*\*: .+)$",
        r"(?P<message>(?<!tatic )\b[Aa]ssertion '.+' failed\b.*)$",
        r"(?P<message>(?<!tatic )\b[Aa]ssertion .+ failed(?: in .*| at .*)?[.!]?)$",
        r"(?P<message>(?<!tatic )\b(?:[Aa]ssertion|ASSERTION|ASSERT|[Aa]ssert) (?:[Ff]ail(?:ed|ure)|FAILED|FAILURE)\b.*)$",
        r"(?P<message>\bASSERTION VIOLATION)$",
        r"(?P<message>\b[\w-]+-(?:CRITICAL|ERROR) \*\*: .+)$",
        r"(?P<message>\bBail out! .*)$",
        r"(?P<message>\bASSERT: '.*)$",
        r"(?P<message>\bASSERT failure in .*)$",
        r"(?P<message>\b(?:D?CHECK|[Cc]heck|Debug check|[Pp]re-?condition|[Pp]ost-?condition|[Ii]nvariant) "
        r"(?:failed|violated|violation)\b.*)$",
        r"(?P<message>\bTRAP: .*)$",
        r"(?P<message>\b[Ff]ailing assertion: .*)$",
        r"(?P<message>\bFailedAssertion\(.*)$",
        r"(?P<message>\bFailed to verify: .*)$",
    ),
    *_forms(
        ABORT,
        r"(?P<message>\bterminate called (?:after throwing an instance of|without|recursively).*)$",
        r"(?P<message>\bpure virtual method called)",
        r"(?P<message>\*\*\* [\w ]+ detected \*\*\*.*)$",
        r"^(?P<message>(?:double free or corruption|free\(\): |malloc\(\)|realloc\(\): |corrupted (?:size|double-linked)"
        r"|munmap_chunk\(\)|munmap_chunk|malloc_consolidate\(\)|invalid (?:fastbin|next size)|sysmalloc).*)$",
    ),
    *_forms(
        EXCEPTION,
        r"^Exception in thread '[^']*' (?P<message>.+)$",
        r"(?P<message>\b(?:Unhandled|Uncaught) (?:exception|Exception)\b.*)$",
        r"^(?P<message>Unhandled [A-Z][\w:-]+ in thread .*)$",
        r"^(?P<message>debugger invoked on a .*)$",
        r"(?P<message>\b[Uu]ncaught (?:\w+(?:Error|Exception)|Error|exception).*)$",
        r"^(?P<message>\*\* \(\w[\w.]*\) .*)$",
        r"^(?P<message>\*\*\* - .*)$",
        r"^(?P<message>Fatal error: exception .*)$",
        r"(?P<message>\bexception error: .*)$",
        r"^(?P<message>(?:[a-z][\w$]*\.)+[A-Z][\w$]*(?:Exception|Error|Failure|Fault|Panic)\w*(?:: .*)?)$",
        r"^(?:Uncaught )?(?P<message>[A-Z]\w*(?:Error|Exception)(?: \[\w+\])?: .*)$",
        r"^(?P<message>\{'init terminating in do_boot',.*)$",
        r"^Error in (?P<message>.+ : .*)$",
        r"(?P<message>\b\w+::Exception: .*)$",
    ),
    *_forms(
        DIAGNOSTIC,
        r"^\w*make(?:\[\d+\])?: \*\*\* (?P<message>(?!\[).+)$",
        r"^\w+: (?P<message>.+ @ (?:error|fatal)/.+)$",
        rf"^(?P<message>{_PERL})$",
    ),
)

#: What Perl says, a warning or the error that ends a program; and what comes behind several errors.
PERL: Final = re.compile(rf"^{_PERL}$")
PERL_ERRORS: Final = re.compile(r"compilation errors\.?$|^BEGIN failed--|has too many errors\.?$")

#: A word that every form above has: most lines have none, and are told so at once.
ANY_FORM: Final = re.compile(
    r"(?i)error|warning:|exception|fail|assert|panic|fatal|abort|check|condition|variant|bug|crash|ice\b|sanitizer"
    r"|invalid|uninitiali|depends on|syscall|mismatch|overlap|argument|jump|overflow|race|terminat|bytes in|unreachable"
    r"|internal|critical|bail out|trap|verify|virtual method|\*\*|corrupt|free\(\)|alloc\(\)|munmap|sysmalloc|unhandled"
    r"|uncaught|debugger|sig(?:segv|abrt|bus|ill|fpe)|line \d|segmentation"
)

#: A word for how bad something is, as tools write it in front of a message. `level` is what it says.
SEVERITY: Final = re.compile(
    r"""^(?P<all>
    (?P<error>(?:(?:PHP|CMake|Sass|Internal|Dev)\ )?
      (?:(?:fatal|hard|syntax|parse[r]?|parsing|lexical|lexer|type|semantic|runtime|execution|compile|compiler|compilation|internal
         |unrecoverable|serious|severe|general|user|linker|link|binder|catalog|conversion|parsererror|schema|validation
         |constraint|evaluation|namespace|encoding|Python|I/O|IO|unknown|static|dynamic|value|name|attribute|scanner|scan
         |tokenizer|elaboration|preprocessor|assembler|codegen|backend|query|database|SQL|Recoverable|Core)\s+)*
      (?:error|errors?|fatal|fatale|critical|panic|exception|failure|severe|emerg|alert|crit|err|ice|bug|sorry,\ unimplemented|sorry))
    |(?P<warning>(?:(?:PHP|CMake)\ )?(?:\w+\ )?(?:warning|warn|deprecated|deprecation(?:\ warning)?))
    |(?P<note>note|info|information|hint|help|remark|debug|trace|notice|style|convention|refactor|suggestion|message|detail
       |context|statement|status|usage|log|verbose|tip|explanation|success|ok|see|location|line\ \d+|caused\ by)
    )
    (?P<code>\s*[\[(]\s*[\w./:-]+\s*[\])]|\s+[A-Z]{1,8}-?\d{2,6}|\s+\d{2,5}\s*\([0-9A-Z]{5}\)|\s+\#?\d{2,6})?
    (?P<where>\s*\((?:at|in|on|line|near)\b[^()]*\)|\s+(?:at|on|in|near|\(at)\s+(?:line\s+\d+|[^:]*?\d+)[^:]*)?
    \s*(?P<end>:+(?!\w*:)|!+(?=\s)|\s-\s|\s{2,}|$)\s*""",
    re.VERBOSE | re.IGNORECASE,
)

#: Where a message is about, in front of it.
PLACES: Final = tuple(
    re.compile(expression)
    for expression in (
        r"^File '(?P<file>[^']+)', lines? [\d-]+(?:, characters? [\d-]+)?:?\s*",
        r"^'(?P<file>[^']+)',? line \d+(?:[.:]\d+)?(?:-\d+)?:\s*",
        r"^(?P<file>[^\s:()'][^:()']*?)?\((?:line )?\d+(?:[,:.-]\s?\d+)*\)\s?:?\s*(?=\w)",
        r"^(?P<file>(?:[A-Za-z]:)?[^\s:'()\[\]][^:'()\[\]]*?):\s?lines? \d+(?:[,:] ?(?:col(?:umn)?\.? ?)?\d+)?\s*:\s*",
        r"^(?P<file>(?:[A-Za-z]:)?[^\s:'()\[\]][^:'()]*?):\[\d+(?:,\d+)?\]\s*",
        r"^(?P<file>(?:[A-Za-z]:)?[^\s:'][^:']*?):\d+(?:[:.,]\d+)*(?:-\d+(?:[:.,]\d+)*)?(?::|(?=\s)|$)\s*",
        r"^file (?P<file>\S+) line \d+:\s*",
        r"^(?P<file>)(?:on |at )?[Ll]ine:? \d+(?:,? ?(?:[Cc]ol(?:umn)?|[Pp]os(?:ition)?|[Cc]har(?:acter)?)?[.:]? ?\d+)?\s*[:,-]\s+",
        r"^(?P<file>)\d+:\d+(?:-\d+(?::\d+)?)?:?\s+",
        r"^(?P<file>)\[\d+[:,]\d+\]:?\s+",
    )
)

#: What stands in front of places and severities, and says nothing: process ids, times, loggers.
PREFIXES: Final = re.compile(
    r"^(?:==\d+==\s*|\*\*\d+\*\*\s*|\[?\d{4}-\d\d-\d\d[T ][\d:.,]+Z?\]?\s*|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?\s*"
    r"|\[\d+(?:\.\d+)?[a-z]*\]\s*|\(\S+:\d+\): (?=.*\*\*)|\[\d+/\d+\]\s*|\[[\w:, .#]+ @ 0x[0-9a-f]+\]\s*"
    r"|[EF]\d{4} [\d:.]+\s+\d+ |>+\s+|%(?=Error|Warning)|[│╷]\s(?=[A-Z])|:{2}(?=(?:error|warning|notice)\b)|\#{2}(?=\[error\])|[✘✖×✗●•]\s*)+"
)

#: A program that says its name first.
PROGRAM: Final = re.compile(r"^[\w.+/-]*[A-Za-z][\w.+-]*(?:\[\d+\])?:\s*(?=\S)")

#: Lines about a failure that are none: what comes with any failure of a tool. Never the only fact.
SUMMARIES: Final = re.compile(
    r"""(?ix)
    \b(?:aborting|exiting|aborted)\ due\ to\b | \(s\)\ (?:during|found|in)\b | \(\s*(?:try|use|run|see|pass)\ [^)]*\)\W*$ | ^BEGIN\ failed--
    | \bthis\ is\ (?:a|probably\ a|likely\ a)\ bug\b | \bhas\ too\ many\ errors\b | \bemergency\ stop\b | ^\W*\d+\s+(?:\w+\s+)?(?:errors?|warnings?|problems?|failures?|issues?|diagnostics?)\b
    | \b(?:found|generated|detected|with|there\ (?:were|was)|total(?:ly)?(?:\ of)?:?|produced|reported)\s+\d+\s+(?:\w+\s+)?(?:errors?|warnings?|problems?|issues?|diagnostics?)\b
    | ^(?:error:\s*)?(?:compilation|build|parsing|validation|translation|execution|conversion|processing|compile|run|job|command|rendering|checking)
      \s+(?:failed|aborted|terminated|halted|stopped|error|unsuccessful)\b
    | \bcompilation\ (?:terminated|aborted|failed) | \bexecution\ halted\b | \bcould\ not\ compile\b | \berrors?\ (?:occurred|found|prevented|encountered)\b
    | \breturned\ (?:an\ error\ |\d+\ )?exit\s?(?:status|code)\b | \bexit(?:ed)?\ (?:with\ )?(?:status|code|value)\b | ^exit\ status\ \d+
    | \breturned\ (?:non-?zero|an\ error) | \bcommand\ failed\b | ^make(?:\[\d+\])?:.*\berror\ \d+ | \bnpm\ ERR! | ^error\ command\b
    | \bplease\ (?:submit|report|file|include|attach|see|fix|check|correct|open|send)\b | \bfor\ more\ information\b | \bbug\ report\b
    | ^\#\ command-line-arguments | ^traceback\b | ^stack\ (?:trace|dump|backtrace) | ^backtrace\b | ^call\s?stack\b | ^stacktrace\b
    | \bcore\ dumped\b | ^(?:aborted|abort|segmentation\ fault|killed|bus\ error|illegal\ instruction|floating\ point\ exception|trace/breakpoint\ trap)(?:\ \(core\ dumped\))?\.?$
    | \b(?:has|have|had|contains?)\ (?:syntax\ |fatal\ )?errors?\b | \btoo\ many\ errors\b | \bstopping\b | \bgiving\ up\b | \bquitting\b | \bno\ output\b
    | \bunhandled\ condition\ in\ --disable-debugger | \b(?:input|module|tree|file)\ (?:\w+\ )?(?:is|has)\ (?:broken|errors?) | \berror\ summary\b
    | \berror:\ (?:compilation|build|command|process|subprocess|script|job)\ (?:failed|terminated|aborted)\b | \bran\ with\ errors\b
    | \bunexpected\ panic\b | \bcompiler\ unexpectedly\ panicked\b | \bno\ errors\ encountered\ even\ though\b | ^SUMMARY: | ^errors?:?\s*\d*$
    | ^(?:\d+\ )?(?:passed|failed|skipped)\b | \bprocess\ (?:finished|exited|terminated)\b | \bcheck\ failed\.?$ | \bfailed\.?\s*\(?\d+\ (?:errors?|of)\b
    | \baborted?\ (?:the\ )?(?:compilation|execution|because)\b | ^(?:run|use|try|rerun|set)\ .*\b(?:for|to|with)\b | \bthis\ error\ originates\b
    | \bcurrent\ thread\b.*most\ recent | ^the\ above\ exception\b | ^during\ handling\ of\b | ^node\.js\ v\d | \bdied\ with\b | \bfatal\ errors?\ found\b
    """
)

#: Messages that stand above or below the one that tells: they name another place of the same error.
CONTEXTS: Final = re.compile(
    r"""(?x)
    ^(?:\d+\.\s|https?://|In\ (?:function|file\ included|instantiation|substitution|constructor|destructor|member|static|lambda|expansion|module|program|the|a|an|substitution|copy)\b
    | (?:At\ (?:top\ level|global\ scope)|required\ (?:from|by|for)|recursively\ required|from\b|in\ (?:expansion|instantiation|definition|constexpr)|instantiated\ from
      |in\ function\s'|included\ from|expanded\ from|candidate|previous|originally|defined\ (?:here|at)|declared\ (?:here|at)|first\ defined|see\ |referenced\ (?:by|from)
      |called\ from|referenced\ by|goroutine\ \d|\[signal\ |Found\ declaration|note\b|here$|while\ |when\ |the\ first\ |multiple\ definition.*first))
    """
)

#: What a crash says about what was being done, which tells two crashes at one place apart.
CONTEXT_OF_CRASH: Final = re.compile(
    r"^(?:\d+\.\s*)?(?P<message>(?:[Dd]uring \S+ pass: \S+|Running pass '(?!Function Pass Manager|CallGraph)[^']+' on \w+ .*"
    r"|#0 \[\w+\] .+|(?:READ|WRITE) of size \d+|The signal is caused by a \w+ memory access|what\(\):.*|Caused by: .+|Extension modules: .+|\(compiler file '.*', line \d+\).*))"
)

#: Words that tell a failure in a line of no known form, the surest first.
ERROR_WORDS: Final = re.compile(
    r"(?i)\b(?:fatal|panic(?:ked)?|internal error|abort(?:ed|ing)?|crash(?:ed)?|errors?|exception)\b|(?-i:\w+(?:Error|Exception)\b)"
    r"|\b(?:fail(?:s|ed|ure)?|invalid|illegal|cannot|can't|couldn't|unable|unexpected|undefined|undeclared|unbound|uninitiali[sz]ed"
    r"|unknown|unsupported|unterminated|unclosed|unmatched|unrecogni[sz]ed|overflow|underflow|violat(?:ion|ed)|mismatch(?:ed)?|bug|missing|malformed|corrupt(?:ed)?"
    r"|duplicate|conflict(?:ing)?|expected|denied|refused|wrong|bad|not (?:found|implemented|allowed|defined|valid|supported|a)|no such|out of|does not|doesn't|division by|divide[d]? by)\b"
)

#: Words that no sentence ends with: a line that does goes on in the next.
OPEN_WORDS: Final = frozenset(
    "a an and as at be but by for from has have in into is of on or than that the to type was with value named not type: of: to:".split()
)

#: Messages that are told in several lines: how they begin, and what further lines look like.
CONTINUED: Final = (
    (re.compile(r"Fatal error in "), re.compile(r"^# (?P<more>\S.*)$")),
    (re.compile(r"^ASSERTION VIOLATION$"), re.compile(r"^(?P<more>(?:File|Line|Failed)\b.*)$")),
    (re.compile(r"^Fatal failure within "), re.compile(r"^\s*(?P<more>\S.*)$")),
    (re.compile(r"^ASSERTION FAILED: "), re.compile(r"^(?P<more>\S+\(\d+\) : .*)$")),
)

#: The line that Python ends a traceback with.
PYTHON_END: Final = re.compile(r"^(?P<kind>[A-Za-z_][\w.]*)(?P<colon>: )?(?P<message>.*)$")

#: A linter's code behind a place.
CODE_BEHIND: Final = re.compile(
    r"^(?P<code>[A-Z]{1,6}\d{2,5})(?::|\s)\s*|^\[(?P<level>[A-Z]\d{3,4}|[\w-]+)\]:?\s+"
)

#: A line of ESLint's and of yamllint's tables.
LINT_LINE: Final = re.compile(
    r"^\s*(?:\d+:\d+\s+)?(?P<level>error|warning|warn|info|note|style)\s+(?P<message>\S.*?\S)(?:\s{2,}\(?(?P<code>[\w@/.-]+)\)?)?$"
)

#: A code in front of everything, as Ruff and Oracle write it.
CODE_FIRST: Final = re.compile(
    r"^(?P<code>[A-Z]{1,5}\d{3,5}|[A-Z]{2,5}-\d{4,5}):?(?: \[\*\])? (?P<message>\S.+)$"
)

#: What ShellCheck hangs below code.
ATTACHED: Final = re.compile(
    r"^\s*\^[-^]* (?P<code>[A-Z]{2}\d{4}) \((?P<level>\w+)\): (?P<message>.+)$"
)

#: An annotation of a workflow of GitHub.
GITHUB: Final = re.compile(
    r"^(?:::)?(?P<level>error|warning|notice) (?:file=|title=|line=)[^:]*::(?P<message>.+)$"
)

#: An element of Checkstyle's XML.
XML: Final = re.compile(
    r"<(?:error|violation|failure|issue)\b[^>]*?\bseverity='(?P<level>\w+)'[^>]*?\bmessage='(?P<message>[^']*)'"
)

#: An error of TeX.
LATEX: Final = re.compile(r"^! (?P<message>.+)$")

#: An error of SMT-LIB.
SEXPRESSION: Final = re.compile(
    r"^\(error '(?:line \d+ column \d+: )?(?P<message>.*)'\)$|^\(error '(?P<open>[^']*)$"
)

#: What some tools repeat in front of each line of a message.
SAME_HEAD: Final = re.compile(r"^(ERROR:|Warning:|error:|\[error\])\s")
