// Added by `brain hooks agent opencode --write`, removed by --undo. It tells brain what happens in a session of OpenCode,
// and gives the agent what brain knows. Where brain is missing or fails, nothing happens.
import { spawn } from "node:child_process"

const COMMANDS = __COMMANDS__
const ENVIRONMENT = { ...process.env, BRAIN_DAEMON: "auto" }

function brain(command, payload) {
  return new Promise((resolve) => {
    const [program, ...words] = COMMANDS[command]
    const child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"], timeout: __SECONDS__ * 1000, env: ENVIRONMENT })
    let text = ""
    child.stdout.on("data", (part) => (text += part))
    child.stdin.on("error", () => {})
    child.on("error", () => resolve(""))
    child.on("close", () => resolve(text.trim()))
    child.stdin.end(JSON.stringify(payload))
  })
}

export const Brain = async ({ directory }) => {
  const known = new Set()
  const said = new Map()
  const payload = (hook_event_name, session_id, more) => ({ hook_event_name, session_id, cwd: directory, ...more })
  return {
    "chat.message": async ({ sessionID }, { message, parts }) => {
      const prompt = parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n")
      const start = known.has(sessionID) ? "" : await brain("show", payload("SessionStart", sessionID, { source: "startup" }))
      known.add(sessionID)
      said.set(sessionID, { last_user_message: prompt })
      const text = [start, await brain("answer", payload("UserPromptSubmit", sessionID, { prompt }))].filter(Boolean).join("\n")
      const id = `prt_${Date.now().toString(16)}${Math.random().toString(16).slice(2)}`
      if (text) parts.push({ id, sessionID, messageID: message.id, type: "text", text, synthetic: true })
    },
    "tool.execute.after": async ({ tool, sessionID, args }, { output }) => {
      await brain("keep", payload("PostToolUse", sessionID, { tool_name: tool, tool_input: args, tool_response: output }))
    },
    "experimental.text.complete": async ({ sessionID }, { text }) => {
      said.set(sessionID, { ...said.get(sessionID), last_assistant_message: text })
    },
    "experimental.session.compacting": async ({ sessionID }, output) => {
      await brain("keep", payload("PreCompact", sessionID, said.get(sessionID)))
      const text = await brain("show", payload("SessionStart", sessionID, { source: "compact" }))
      if (text) output.context.push(text)
    },
    event: async ({ event }) => {
      const session = event.properties?.sessionID
      if (event.type === "session.idle") await brain("keep", payload("Stop", session, said.get(session)))
    },
  }
}
