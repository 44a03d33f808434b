// A workflow's agents report to a script. What that returns reaches the main conversation in the client's notification:
// there an over-long report is cut wherever it stands word for word. Valid JavaScript, as rules.ts is.

const OPEN = '<result>'
const CLOSE = '</result>\n<diagnostics>'
const JOURNAL = /^(?:.*\n)*?Per-agent results: (.*?[/\\])journal\.jsonl /
const OUTPUT = /<output-file>(.*?)<\/output-file>/
const TRUNCATED = /\n\.\.\. \(truncated \d+ chars, (full result in .*)\)$/

const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
const unescaped = (text) => text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&')

// A workflow's notification in its parts: the result as the client wrote it, the folder of the run's journal, and, where
// the client cut the result itself, its file with the whole. Undefined for every other text.
export function notice(text) {
  if (typeof text !== 'string' || !text.startsWith('<task-notification>\n')) return undefined
  // the client escapes what stands in a result, so that the first marks are its own
  const first = text.indexOf(OPEN) + OPEN.length
  const end = text.indexOf(CLOSE, first)
  const folder = first < OPEN.length || end < 0 ? undefined : JOURNAL.exec(text.slice(end + CLOSE.length))?.[1]
  if (folder === undefined) return undefined
  const [before, result, after] = [text.slice(0, first), text.slice(first, end), text.slice(end)]
  const truncated = TRUNCATED.exec(result)
  return {
    before,
    body: truncated ? result.slice(0, truncated.index) : result,
    more: truncated ? truncated[1] : '',
    whole: truncated ? unescaped(OUTPUT.exec(before)?.[1] ?? '') : undefined,
    after,
    folder: unescaped(folder),
  }
}

// The value that the script returned; `output` is the text of the file with the whole. Throws where it is none.
export const returned = (parts, output) =>
  parts.whole === undefined ? JSON.parse(unescaped(parts.body)) : JSON.parse(output).result

// What the run's agents returned, from its journal: [agentId, value]. An agent with an output schema returned no text.
export function results(journal) {
  const found = []
  for (const line of journal.split('\n')) {
    if (!line.startsWith('{"type":"result"')) continue
    const row = JSON.parse(line)
    if (typeof row.agentId === 'string') found.push([row.agentId, row.result])
  }
  return found
}

// What agents with an output schema returned, as JSON: it is left alone wherever it stands.
export const schemed = (found) =>
  new Set(found.filter(([, value]) => typeof value === 'object' && value !== null).map(([, value]) => JSON.stringify(value)))

// The value with `change` done to every text in it.
export function changed(value, change, kept) {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null || kept.has(JSON.stringify(value))) return value
  if (Array.isArray(value)) return value.map((one) => changed(one, change, kept))
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, changed(one, change, kept)]))
}

// The reports among the results that stand in the value, word for word: [agentId, text].
export function standing(value, found, kept) {
  const texts = []
  changed(value, (text) => texts.push(text), kept)
  return found.filter(([, report]) => typeof report === 'string' && report && texts.some((text) => text.includes(report)))
}

// The notification with the value's cut form as its result, never longer than the client's; undefined where the client's
// own text is not what we would have written for the value.
export function delivered(parts, value, cuts, kept) {
  const written = escaped(JSON.stringify(value))
  if (parts.whole === undefined ? written !== parts.body : !written.startsWith(parts.body)) return undefined
  const longest = [...cuts].sort((one, other) => other[0].length - one[0].length)
  const cut = (text) => longest.reduce((left, [whole, short]) => left.split(whole).join(short), text)
  let body = escaped(JSON.stringify(changed(value, cut, kept)))
  const left = body.length - parts.body.length
  if (left > 0) body = `${body.slice(0, parts.body.length)}\n... (truncated ${left} chars, ${parts.more})`
  return parts.before + body + parts.after
}
