// One function hook: agent.report. A module of its own, since a client that does not know an event refuses the module.
// Anything that goes wrong leaves the report as it was.
import { blockedMarks, candidates, cutFor, section } from '../src/rules.ts'

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

async function wasBlocked($, root, user, sessionId, agentId) {
  for (const path of blockedMarks(root, user, sessionId, agentId)) {
    try {
      await $.fs.stat(path)
      return true
    } catch {
      continue
    }
  }
  return false
}

export const register = (on) => {
  on('agent.report', async ($, event, next) => {
    const report = await next(event)
    try {
      if (event.status !== 'completed' || typeof report.text !== 'string') return report
      const root = await $.session.root()
      const home = (await $.env.get('HOME')) ?? (await $.env.get('USERPROFILE'))
      const user = (await $.env.get('CLAUDE_CONFIG_DIR')) || (home ? `${home}/.claude` : undefined)
      const rules = await returnsSection($, root, user)
      if (!rules) return report
      const environment = {
        AGENT_RETURN_PASS: await $.env.get('AGENT_RETURN_PASS'),
        AGENT_RETURN_FILE: await $.env.get('AGENT_RETURN_FILE'),
      }
      const sessionId = await $.session.id()
      const cut = cutFor(rules, environment, event.subagentType, report.text, root, event.agentId, sessionId, new Date())
      if (!cut || (await wasBlocked($, root, user, sessionId, event.agentId))) return report
      await $.fs.write(cut.path, report.text)
      return { ...report, text: cut.text }
    } catch {
      return report
    }
  })
}
