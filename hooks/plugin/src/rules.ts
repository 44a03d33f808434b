// The rules of hooks/runtime/returns.py, cut.py, config.py and reports.py once more, for the client's worker.
// tests/hooks/plugin_cases.json is run against both. No type annotations: the file is valid JavaScript too, so any node can run it.

const PASS_TOKENS = 1000
const FILE_TOKENS = 2500
const LEVELS = 16
const TAIL_SHARE = 4
const FILE_NAME = 'full-return.md'

export const estTokens = (text) => Math.ceil(text.length / 4)

export const positive = (value) =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 1e300 ? value : undefined

export const jsPositive = (text) => (typeof text === 'string' ? positive(Number(text)) : undefined)

export function globMatch(name, pattern) {
  let at = 0
  let inPattern = 0
  let star = -1
  let back = 0
  const names = Array.from(name)
  const signs = Array.from(pattern)
  while (at < names.length) {
    if (inPattern < signs.length && signs[inPattern] !== '*' && (signs[inPattern] === '?' || signs[inPattern] === names[at])) {
      at += 1
      inPattern += 1
    } else if (signs[inPattern] === '*') {
      star = inPattern
      back = at
      inPattern += 1
    } else if (star >= 0) {
      back += 1
      at = back
      inPattern = star + 1
    } else {
      return false
    }
  }
  return signs.slice(inPattern).every((sign) => sign === '*')
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

// The section of a config text; undefined when the text is none, or holds none.
export function section(text, name) {
  if (typeof text !== 'string') return undefined
  try {
    const value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
    return isObject(value) && isObject(value[name]) ? value[name] : undefined
  } catch {
    return undefined
  }
}

export function policy(rules, agentType, environment) {
  const types = isObject(rules.byAgentType) ? rules.byAgentType : {}
  const own = Object.hasOwn(types, agentType) && isObject(types[agentType]) ? types[agentType] : {}
  const limit = (key, variable, fallback) =>
    positive(own[key]) ?? positive(rules[key]) ?? jsPositive(environment[variable]) ?? fallback
  const first = (key, allowed, fallback) => [own[key], rules[key]].find((value) => allowed.includes(value)) ?? fallback
  const exempt = Array.isArray(rules.exempt) ? rules.exempt : []
  return {
    acts: rules.enabled === true && !exempt.some((one) => typeof one === 'string' && globMatch(agentType, one)),
    passTokens: limit('passTokens', 'AGENT_RETURN_PASS', PASS_TOKENS),
    fileTokens: limit('fileTokens', 'AGENT_RETURN_FILE', FILE_TOKENS),
    mode: first('mode', ['announce', 'block', 'shorten'], 'block'),
    keep: first('keep', ['head', 'head+tail'], 'head'),
  }
}

export const pointer = (limit, size, path, lines) =>
  `[Return guard: cut to ${limit} of about ${size} tokens. The full report (${lines} line${lines === 1 ? '' : 's'}) is in ` +
  `${path} ; ` +
  'read the lines you need from it with Read, offset and limit.]'

const isRow = (line) => line.replace(/^[ \t]+/, '').startsWith('|')

// The head of a table that a line of dashes follows; such rows need no mark at their start.
function isRuled(lines, at) {
  const rule = lines[at + 1] ?? ''
  return lines[at].includes('|') && rule.includes('|') && rule.includes('-') && /^[|:\- \t\r]+$/.test(rule)
}

function fence(line) {
  const bare = line.replace(/^[ \t]+/, '')
  const mark = bare.charAt(0)
  if ((mark !== '`' && mark !== '~') || !bare.startsWith(mark.repeat(3))) return ''
  let length = 0
  while (bare.charAt(length) === mark) length += 1
  return mark === '`' && bare.slice(length).includes(mark) ? '' : bare.slice(0, length)
}

function closes(line, run) {
  const bare = line.replace(/^[ \t\r]+|[ \t\r]+$/g, '')
  return bare.length >= run.length && bare === run.charAt(0).repeat(bare.length)
}

// [first, end) of what is kept or dropped as one: a line, a whole fence, a whole table.
export function pieces(lines) {
  const found = []
  let at = 0
  while (at < lines.length) {
    let end = at + 1
    const run = fence(lines[at])
    if (run) {
      while (end < lines.length && !closes(lines[end], run)) end += 1
      end = Math.min(end + 1, lines.length)
    } else if (isRow(lines[at]) || isRuled(lines, at)) {
      const ruled = isRuled(lines, at)
      while (end < lines.length && (isRow(lines[end]) || (ruled && lines[end].includes('|')))) end += 1
    }
    found.push([at, end])
    at = end
  }
  return found
}

function fill(lines, parts, room) {
  let count = 0
  for (const [first, end] of parts) {
    for (const line of lines.slice(first, end)) room -= line.length + 1
    if (room < 0) break
    count += 1
  }
  return count
}

function opening(line, room) {
  let at = 0
  for (const char of line) {
    room -= char.length
    if (room < 0) {
      const space = line.slice(0, at).lastIndexOf(' ')
      return line.slice(0, space > 0 ? space : at)
    }
    at += char.length
  }
  return line
}

// What the caller gets for a report over the limit; undefined when it fits, or would not become shorter.
export function shorten(text, limit, path, keep) {
  if (estTokens(text) <= limit) return undefined
  const note = pointer(limit, estTokens(text), path, text.split('\n').length)
  const lines = text.replace(/^[\r\n]+/, '').split('\n')
  const room = limit * 4 - note.length - 2
  const parts = pieces(lines)
  const ends = keep === 'head+tail' && room > 0 && fill(lines, parts, room) < parts.length
  const tailParts = ends ? fill(lines, [...parts].reverse(), Math.floor(room / TAIL_SHARE)) : 0
  const tail = tailParts ? lines.slice(parts[parts.length - tailParts][0]).join('\n') : ''
  const left = tail ? room - tail.length - 1 : room
  const count = fill(lines, parts, left)
  let head = count ? lines.slice(0, parts[count - 1][1]).join('\n') : ''
  if (!head && parts[0][1] === 1 && !fence(lines[0]) && !isRow(lines[0])) head = opening(lines[0], left - 1)
  const cut = [head.replace(/[ \t\r\n]+$/, ''), note, tail].filter(Boolean).join('\n\n')
  return cut.length < text.length ? cut : undefined
}

export function slug(agentType) {
  const kept = agentType.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '')
  return kept.slice(0, 48).replace(/-+$/, '') || 'agent'
}

export function runId(agentId, sessionId) {
  for (const id of [agentId, sessionId]) {
    const kept = (typeof id === 'string' ? id : '').replace(/[^A-Za-z0-9]/g, '')
    if (kept) return kept.slice(-8)
  }
  return Math.random().toString(16).slice(2, 10).padEnd(8, '0')
}

export function stamp(date) {
  const two = (value) => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}${two(date.getMonth() + 1)}${two(date.getDate())}`
  return `${day}-${two(date.getHours())}${two(date.getMinutes())}${two(date.getSeconds())}`
}

const trimmed = (path) => path.replace(/\/+$/, '')

export const reportFile = (root, at, agentType, id) =>
  `${trimmed(root)}/.claude/reports/${at}_${slug(agentType)}-${id}/${FILE_NAME}`

// The cut of one report under these rules: {text, path}; undefined when it is delivered as it is.
export function cutFor(rules, environment, agentType, text, root, agentId, sessionId, date) {
  if (typeof agentType !== 'string' || !agentType) return undefined
  const { acts, mode, passTokens, keep } = policy(rules, agentType, environment)
  if (!acts || mode !== 'shorten' || estTokens(text) <= passTokens) return undefined
  const path = reportFile(root, stamp(date), agentType, runId(agentId, sessionId))
  const cut = shorten(text, passTokens, path, keep)
  return cut === undefined ? undefined : { text: cut, path }
}

function parent(path) {
  const cut = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'))
  if (cut < 0) return path
  if (cut === 0) return path.slice(0, 1)
  return /^[A-Za-z]:$/.test(path.slice(0, cut)) ? path.slice(0, cut + 1) : path.slice(0, cut)
}

// Every place a config may stand, nearest first.
export function candidates(root, user) {
  const found = []
  let path = root
  for (let level = 0; level < LEVELS; level += 1) {
    found.push(`${path.replace(/[/\\]+$/, '')}/.claude/setpoint.json`)
    const above = parent(path)
    if (above === path) break
    path = above
  }
  if (user && !found.includes(`${trimmed(user)}/setpoint.json`)) found.push(`${trimmed(user)}/setpoint.json`)
  return found
}

// Where the hooks may be installed: the folder beside each of those configs.
export const homes = (root, user) => candidates(root, user).map((path) => path.slice(0, -'.json'.length))

// The mark of a block by the hooks installed there: never a block and a cut for one report.
export const blockedMark = (home, sessionId, agentId) => `${home}/state/${sessionId}/${agentId}/block-return.latch`

// Whether a text of the agent is the report: the client sets a backslash into tags of its own that a report holds.
export const isSource = (text, report) => text.replaceAll('\\', '') === report.replaceAll('\\', '')
