import { z } from 'zod'
import { flag, instant, limitArgument, list, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { searchAssistantMemories } from '../../domains/memories/search.ts'
import { ASSISTANT_MEMORY_SCOPES } from '../../domains/memories/visibility.ts'

export default eventTool({
  name: 'search_memories',
  title: 'Search memories',
  description:
    'Search the notes (shared memory, knowledge) that the team jotted down about event and client: keyword, topic, something anyone wrote; forgives misspelling. Not for the full text (use retrieve_memories). Returns the best with an excerpt and score.',
  effect: 'read',
  toleratesLag: true,
  permission: 'events.read',
  input: {
    query: text(300),
    scope: oneOf(ASSISTANT_MEMORY_SCOPES).default('all'),
    tags: list(text(40), 20).optional(),
    limit: limitArgument().default(10),
  },
  output: {
    memories: list(
      object({
        id: text(),
        scope: oneOf(['client', 'event']),
        title: text(),
        excerpt: z.string(),
        tags: list(text()),
        pinned: flag(),
        source: oneOf(['assistant', 'organizer']),
        updatedAt: instant(),
        score: z.number(),
      }),
    ),
  },
  run: searchAssistantMemories,
})
