// Two function hooks: agent.report for reports in the background, prompt.submit for the results of workflows. A module of
// its own, since a client that does not know an event refuses the module. Anything that goes wrong leaves the text as it was.
import { blockedMark, candidates, cutFor, homes, isSource, section } from '../src/rules.ts'
import { delivered, notice, results, returned, schemed, standing } from '../src/workflow.ts'

async function readText($, path) {
  try {
    return await $.fs.read(path)
  } catch {
    return undefined
  }
}

async function returnsSection($, root, user) {
  for (const path of candidates(root, user)) {
    const found = section(await readText($, path), 'returns')
    if (found) return found
  }
  return undefined
}

async function isThere($, path) {
  try {
    await $.fs.stat(path)
    return true
  } catch {
    return false
  }
}

// 'serves' or 'blocked' for each installed copy. A config alone is none: it stays where the hooks were uninstalled.
async function stateOf($, home, sessionId, agentId) {
  if (!(await isThere($, `${home}/run.py`))) return undefined
  if (await isThere($, blockedMark(home, sessionId, agentId))) return 'blocked'
  return (await isThere($, `${home}/on/returns`)) || !(await isThere($, `${home}/on`)) ? 'serves' : undefined
}

async function isOurs($, given, agentId) {
  const { root, user, sessionId } = given
  const found = await Promise.all(homes(root, user).map((home) => stateOf($, home, sessionId, agentId)))
  return found.includes('serves') && !found.includes('blocked')
}

// The report as the agent wrote it.
async function written($, agentId, text) {
  if (!text.includes('<\\')) return text
  try {
    const messages = await $.session.messages({ agentId })
    const last = messages.findLast((one) => one.role === 'assistant' && one.text)
    return last && isSource(last.text, text) ? last.text : text
  } catch {
    return text
  }
}

async function surroundings($) {
  const root = await $.session.root()
  const home = (await $.env.get('HOME')) ?? (await $.env.get('USERPROFILE'))
  const user = (await $.env.get('CLAUDE_CONFIG_DIR')) || (home ? `${home}/.claude` : undefined)
  const rules = await returnsSection($, root, user)
  if (!rules) return undefined
  const environment = {
    AGENT_RETURN_PASS: await $.env.get('AGENT_RETURN_PASS'),
    AGENT_RETURN_FILE: await $.env.get('AGENT_RETURN_FILE'),
  }
  return { root, user, rules, environment, sessionId: await $.session.id() }
}

// The cut of a report whose whole is saved; undefined where it is delivered as it is.
async function cutReport($, given, agentType, agentId, text, isWorkflow) {
  const { root, user, rules, environment, sessionId } = given
  const cut = cutFor(rules, environment, agentType, text, root, agentId, sessionId, new Date())
  if (!cut || !(await isOurs($, given, agentId))) return undefined
  await $.fs.write(cut.path, isWorkflow ? text : await written($, agentId, text))
  return cut.text
}

async function cutNotification($, text) {
  const parts = notice(text)
  const given = parts ? await surroundings($) : undefined
  if (!parts || !given) return undefined
  const found = results(await $.fs.read(`${parts.folder}journal.jsonl`))
  const kept = schemed(found)
  const value = returned(parts, parts.whole === undefined ? '' : await $.fs.read(parts.whole))
  if (delivered(parts, value, [], kept) === undefined) return undefined
  const cuts = []
  for (const [agentId, report] of standing(value, found, kept)) {
    const meta = JSON.parse(await $.fs.read(`${parts.folder}agent-${agentId}.meta.json`))
    const cut = await cutReport($, given, meta.agentType, agentId, report, true)
    if (cut !== undefined) cuts.push([report, cut])
  }
  return cuts.length ? delivered(parts, value, cuts, kept) : undefined
}

export const register = (on) => {
  on('agent.report', async ($, event, next) => {
    const report = await next(event)
    try {
      if (event.status !== 'completed' || typeof report.text !== 'string') return report
      const given = await surroundings($)
      const cut = given && (await cutReport($, given, event.subagentType, event.agentId, report.text, false))
      return cut === undefined ? report : { ...report, text: cut }
    } catch {
      return report
    }
  })
  // the client's own notifications alone: what a person types does not come here
  on('prompt.submit', { origin: { kind: 'task-notification' } }, async ($, event, next) => {
    let text
    try {
      text = await cutNotification($, event.text)
    } catch {
      text = undefined
    }
    return next(text === undefined ? event : { ...event, text })
  })
}
