// The TypeScript side of plugin_cases.json: node plugin_cases_run.mjs RULES CASES prints the names of what differs.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const [rulesPath, casesPath] = process.argv.slice(2)
const rules = await import(pathToFileURL(rulesPath).href)
const textOf = (parts) => parts.map(([piece, times]) => piece.repeat(times)).join('')
const DATE = new Date(2026, 10, 30, 15, 46, 0)
const ANSWERS = {
  tokens: (given) => rules.estTokens(given.text),
  positive: (given) => rules.positive(given.value),
  jsPositive: (given) => rules.jsPositive(given.text),
  glob: (given) => rules.globMatch(given.name, given.pattern),
  policy: (given) => rules.policy(given.rules, given.agentType, given.environment),
  section: (given) => rules.section(given.text, 'returns'),
  slug: (given) => rules.slug(given.agentType),
  runId: (given) => rules.runId(given.agentId, given.sessionId),
  reportFile: (given) => rules.reportFile(given.root, given.stamp, given.agentType, given.id),
  candidates: (given) => rules.candidates(given.root, given.user),
  cut: (given) => rules.shorten(textOf(given.text), given.limit, given.path, given.keep),
  report: (given) => rules.cutFor(given.rules, {}, given.agentType, textOf(given.text), '/p', '000090abcdef', 's', DATE),
}
const sorted = (value) =>
  value && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]))
    : value
const spelled = (value) => JSON.stringify(sorted(value === undefined ? null : value))
const differing = JSON.parse(readFileSync(casesPath, 'utf8')).filter(
  (one) => spelled(ANSWERS[one.what](one.given)) !== spelled(one.gives),
)
process.stdout.write(JSON.stringify(differing.map((one) => ({ ...one, gave: ANSWERS[one.what](one.given) ?? null }))))
