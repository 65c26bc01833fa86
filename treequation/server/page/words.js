// The page's texts in both of its languages, and its example problems.

const SIGNS = { "-": "−", "*": "×", "/": "÷" };
const ROUNDED = { ceil: ["⌈", "⌉"], floor: ["⌊", "⌋"] }; // a division, rounded up or down

/** What to print before, between and after the operands of an operator. */
export function around(operator) {
  const [before, after] = ROUNDED[operator] ?? ["", ""];
  return [before, ` ${SIGNS[before ? "/" : operator] ?? operator} `, after];
}

// How sure the model is: nothing is certain, and nothing is impossible.
function shareIn(over, under, percent) {
  return (share) => {
    if (share > 0.99) return `${over}99${percent}`;
    return share < 0.01 ? `${under}1${percent}` : `${Math.round(100 * share)}${percent}`;
  };
}

export const EXAMPLES = [
  ["en", "single", "Sam reads 14 pages in the morning and 9 pages in the evening. How many pages does he read?"],
  ["en", "chain", "A cinema has 12 rows of 18 seats. 45 seats are empty. How many people are watching?"],
  ["en", "tree", "Anna buys 4 notebooks at 3 dollars each and 2 pens at 5 dollars each. How much does she pay in all?"],
  ["zh", "single", "小明有25张邮票，小红比小明少2张邮票，小红有多少张邮票？"],
  ["zh", "chain", "一盒钢笔有9支，老师买了7盒，发给学生21支，还剩多少支？"],
  ["zh", "tree", "苹果每千克6元，梨每千克4元，妈妈买了3千克苹果和2千克梨，一共要付多少元？"],
];

const ENGLISH = {
  title: "A word problem becomes a tree",
  language: "Language",
  problem: "Problem",
  placeholder: "Tom has 3 boxes with 12 pencils each. …",
  key: "API key",
  examples: "Examples",
  single: "Single",
  chain: "Chain",
  tree: "Tree",
  solve: "Solve",
  solving: "Solving…",
  answer: "Answer",
  growth: "How the tree grows",
  steps: "Steps",
  first: "Back to the start",
  back: "Step back",
  next: "Step forward",
  play: "Play",
  pause: "Pause",
  drawing: "Expression tree",
  layer: (layer) => `layer ${layer}`,
  start: (count) => (count === 1 ? "1 number from the text is used" : `${count} numbers from the text are used`),
  where: (step, steps) => `Step ${step} of ${steps}`,
  beginning: "The numbers",
  queriesBefore: (count) => `Next: ${count} queries propose expressions`,
  queries: (step, count, kept) => {
    if (!kept) return `Step ${step}: all ${count} queries say None, so the tree is complete`;
    return `Step ${step}: ${kept} of ${count} queries ${kept === 1 ? "proposes" : "propose"} an expression`;
  },
  none: "None",
  repeated: "dropped: a duplicate of another query, or overruled",
  unneeded: "kept, but not needed for the answer",
  query: (query) => `Query ${query}`,
  proposedBy: (step, query, share) => `step ${step}, query ${query}, ${share} likely`,
  lookedAt: "It looked at",
  hint: "Choose an expression to see the words that its query looked at.",
  calculated: "The text is a plain calculation, so no query was needed.",
  constant: "constant",
  sure: (share) => `${share} sure`,
  unsure: "unsure: check the equation",
  alternatives: "Other possible answers",
  inWords: "In words",
  checkTitle: "Check a pupil’s equation",
  pupil: "3 × 12 − 8",
  check: "Check",
  copy: "Copy",
  copyText: "Text",
  copyLatex: "LaTeX",
  copyJson: "JSON",
  copySvg: "SVG",
  copyLink: "Link",
  copied: (what) => `${what} copied`,
  notCopied: "The browser did not allow copying.",
  docs: "HTTP interface",
  model: (name) => `· answered by the model “${name}”`,
  news: (answer, equation, share) => `The answer is ${answer}, by ${equation}, ${share} sure.`,
  share: shareIn("over ", "under ", "\u00a0%"),
  and: ", ",
  errors: {
    unreachable: "The service cannot be reached. Try again in a moment.",
    unreadable: "The service sent a reply that cannot be read. Try again in a moment.",
  },
};

const CHINESE = {
  title: "应用题变成一棵树",
  language: "语言",
  problem: "题目",
  placeholder: "小明有3盒铅笔，每盒12支。……",
  key: "API 密钥",
  examples: "例题",
  single: "一步",
  chain: "链",
  tree: "树",
  solve: "求解",
  solving: "正在求解……",
  answer: "答案",
  growth: "树的生长过程",
  steps: "步骤",
  first: "回到开头",
  back: "上一步",
  next: "下一步",
  play: "播放",
  pause: "暂停",
  drawing: "表达式树",
  layer: (layer) => `第 ${layer} 层`,
  start: (count) => `用到题目中的 ${count} 个数`,
  where: (step, steps) => `第 ${step} 步，共 ${steps} 步`,
  beginning: "题目中的数",
  queriesBefore: (count) => `${count} 个查询即将提出表达式`,
  queries: (step, count, kept) =>
    kept ? `第 ${step} 步：${count} 个查询中有 ${kept} 个提出表达式` : `第 ${step} 步：${count} 个查询都说“无”，树已完成`,
  none: "无",
  repeated: "未采用：与另一个查询相同，或被否决",
  unneeded: "已采用，但答案用不到",
  query: (query) => `查询 ${query}`,
  proposedBy: (step, query, share) => `第 ${step} 步，查询 ${query}，可能性 ${share}`,
  lookedAt: "它关注的词",
  hint: "选择一个表达式，查看它的查询关注了哪些词。",
  calculated: "题目本身就是一道算式，无需查询阅读。",
  constant: "常数",
  sure: (share) => `把握 ${share}`,
  unsure: "没有把握，请核对算式",
  alternatives: "它想到的其他答案",
  inWords: "文字说明",
  checkTitle: "检查学生的算式",
  pupil: "3 × 12 − 8",
  check: "检查",
  copy: "复制",
  copyText: "文本",
  copyLatex: "LaTeX",
  copyJson: "JSON",
  copySvg: "SVG",
  copyLink: "链接",
  copied: (what) => `已复制：${what}`,
  notCopied: "浏览器不允许复制。",
  docs: "HTTP 接口",
  model: (name) => `· 由模型“${name}”解答`,
  news: (answer, equation, share) => `答案是 ${answer}，算式 ${equation}，把握 ${share}。`,
  share: shareIn("超过 ", "不到 ", "%"),
  and: "、",
  errors: {
    unreachable: "无法连接到服务，请稍后再试。",
    unreadable: "服务的回答无法读懂，请稍后再试。",
    "empty-text": "还没有题目，请用文字写出题目。",
    "too-long": "题目太长了，请一次只写一道题。",
    "bad-character": "题目中有无法识别的字符，请把它删掉。",
    "decimal-comma": "有带逗号的小数，请用小数点写，例如 3.50。",
    "unknown-language": "模型不懂这种语言，请用中文或英文写题目。",
    "no-number": "题目中没有数，请用数写出数量，例如 12 或 3/4。",
    "too-many-numbers": "题目中的数太多了，请删去用不到的部分。",
    "no-equation": "模型没有找到可以计算的内容，请写清已知条件和问题。",
    "bad-calculation": "这个算式无法计算，请写完整，只用数、加减乘除和括号。",
    "bad-equation": "算式无法读懂，请只写算式，例如 3 × 12 − 8。",
    "grouped-digits": "有分组书写的大数，请把数字连着写，例如 1234567。",
    "undefined-value": "找到的算式没有值，请检查题目中的数。",
    "bad-key": "需要有效的 API 密钥。",
    "body-too-large": "题目太长了，请一次只写一道题。",
    "queue-full": "等待的题目太多，请稍后再试。",
    "too-many-requests": "请求太多，请稍后再试。",
    "too-many-connections": "连接太多，请稍后再试。",
    deadline: "没有及时得到答案，请稍后再试。",
    "worker-lost": "这道题在这里无法求解。",
    internal: "服务内部出错，请稍后再试。",
  },
};

export const WORDS = { en: ENGLISH, zh: CHINESE };
