// Which characters of a line are what: one regular expression a language, its groups are classes.

const SYNTAX = {
  mlir: [
    /(?<comment>\/\/.*)/,
    /(?<string>"(?:[^"\\]|\\.)*")/,
    /(?<value>%[\w$.#-]+)/,
    /(?<symbol>@[\w$.-]+|\^\w+)/,
    /(?<type>![\w.]+|\b(?:[su]?i\d+|index|f\d+\w*|bf16|tf32|tensor|tile|vector|token|ptr)\b)/,
    /(?<attribute>#[\w.]+)/,
    /(?<op>\b[a-z_]\w*(?:\.[a-z_]\w*)+)/,
    /(?<number>(?<![\w.])-?(?:0x[\da-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?!\w))/,
    /(?<keyword>\b(?:func|module|entry|to|step|iter_args|for|if|else|while|loop|yield|return|true|false)\b)/,
  ],
  python: [
    /(?<comment>#.*)/,
    /(?<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/,
    /(?<symbol>@[\w.]+)/,
    /(?<keyword>\b(?:and|as|assert|break|class|continue|def|elif|else|for|from|if|import|in|is|lambda|None|not|or|pass|return|True|False|while|with|yield)\b)/,
    /(?<number>\b(?:0x[\da-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\b)/,
  ],
  ptx: [
    /(?<comment>\/\/.*)/,
    /(?<string>"[^"]*")/,
    /(?<value>%[A-Za-z_][\w.]*)/,
    /(?<symbol>^\s*\$?\w+:(?!:)|\$\w+)/,
    /(?<op>\b[a-z]\w*(?:(?:\.|::)\w+)+|\b(?:ret|exit|bra)\b)/,
    /(?<keyword>(?<![\w.])\.\w+)/,
    /(?<number>\b(?:0[xfd][\da-fA-F]+|\d+)\b)/,
  ],
  sass: [
    /(?<comment>\/\*.*?\*\/|\/\/.*)/,
    /(?<value>\b(?:UR|R|UP|P|B|SB)(?:\d+|Z|T)\b)/,
    /(?<op>\b[A-Z][A-Z0-9]+(?:\.[A-Z0-9_]+)*\b)/,
    /(?<number>\b(?:0x[\da-fA-F]+|\d+(?:\.\d+)?)\b)/,
    /(?<symbol>\.L_\w+)/,
  ],
  llvm: [
    /(?<comment>;.*)/,
    /(?<string>"[^"]*")/,
    /(?<value>%[\w.$-]+)/,
    /(?<symbol>@[\w.$-]+|^\w+:|!\w+)/,
    /(?<keyword>\b(?:define|declare|target|to|label)\b)/,
    /(?<type>\b(?:void|ptr|i\d+|half|bfloat|float|double)\b)/,
    /(?<op>(?<=^ +|= )[a-z]+\b)/,
    /(?<number>\b(?:0x[\da-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\b)/,
  ],
  asm: [
    /(?<comment>#.*)/,
    /(?<string>"[^"]*")/,
    /(?<value>[%$][\w.-]+)/,
    /(?<symbol>^[\w.$]+:|\.L\w+)/,
    /(?<keyword>(?<=^\s+)\.\w+)/,
    /(?<op>(?<=^\s+)[a-z]\w*)/,
    /(?<number>\b(?:0x[\da-fA-F]+|\d+)\b)/,
  ],
};

const PATTERNS = Object.fromEntries(
  Object.entries(SYNTAX).map(([language, parts]) => [
    language,
    new RegExp(parts.map((part) => part.source).join("|"), "g"),
  ]),
);

/** The tokens of a line as [start, end, class]; what is in none is plain. */
function tokens(language, text) {
  const pattern = PATTERNS[language];
  if (!pattern) return [];
  return [...text.matchAll(pattern)].map((match) => [
    match.index,
    match.index + match[0].length,
    Object.keys(match.groups).find((name) => match.groups[name] !== undefined),
  ]);
}
