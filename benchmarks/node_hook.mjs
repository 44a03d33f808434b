// The least a node hook does for the same answer: read and parse the event and the config, size the message, answer.
import { readFileSync } from 'node:fs'

let text = ''
process.stdin.setEncoding('utf8')
for await (const chunk of process.stdin) text += chunk
const event = JSON.parse(text)
const config = JSON.parse(readFileSync(`${process.env.CLAUDE_PROJECT_DIR}/.claude/setpoint.json`, 'utf8'))
const size = Math.ceil((event.last_assistant_message ?? '').length / 4)
if (size > config.returns.passTokens) {
  process.stdout.write(JSON.stringify({ decision: 'block', reason: `about ${size} tokens` }))
}
