import { z } from 'zod'
import { count, flag, list, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { STEPS_BLOCKED_BY_SETUP_TASK } from '../../domains/authoring/setup/task-checks.ts'
import { listSetupTasks } from '../../domains/authoring/setup/tasks.ts'

const Task = object({
  code: text(),
  section: text(),
  title: text(),
  state: oneOf(['done', 'todo', 'blocked', 'notNeeded']),
  blocks: oneOf(STEPS_BLOCKED_BY_SETUP_TASK),
  why: z.string(),
  evidence: z.string().optional(),
  paths: list(z.string()),
  tools: list(z.string()),
  blockedBy: list(z.string()),
})

export default eventTool({
  name: 'get_setup_tasks',
  title: 'See what is left to set up',
  description:
    'Show the launch checklist of an event: what is left, what is blocked and what holds up opening registration or going on sale. Not for single faults (use validate_schema). Returns percent complete, open items with blockers and next tools.',
  effect: 'read',
  permission: 'events.read',
  input: { section: text(40).optional(), onlyOpen: flag().default(false) },
  output: {
    tasks: list(Task),
    summary: object({
      done: count(),
      todo: count(),
      blocked: count(),
      notNeeded: count(),
      percent: count(0, 100),
    }),
    readyToPublish: flag(),
    readyToOpen: flag(),
    open: list(object({ slug: text(), closesAt: text().nullable() })),
  },
  run: listSetupTasks,
})
