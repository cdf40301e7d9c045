import { z } from 'zod'
import { count, instant, keepNullInResult, object, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { getCustomInstructions } from '../../domains/memories/instructions.ts'

const Part = object({ text: z.string(), updatedAt: instant(), updatedBy: text(), revision: count(1) })

export default eventTool({
  name: 'get_custom_instructions',
  title: 'Read custom instructions',
  description:
    "Read the house rules for assistants: tone, brand voice, style, guidelines, dos and don'ts of the client and this event. Use before you write or work for them, and follow them. Not for facts (use search_memories). Returns both texts, and combined, in which the event wins.",
  effect: 'read',
  permission: 'events.read',
  input: {},
  output: { client: keepNullInResult(Part.nullable()), event: keepNullInResult(Part.nullable()), combined: z.string() },
  run: getCustomInstructions,
})
