import { z } from 'zod'
import { count, truncationResult, flag, ifRevision, list, object, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { publishEvent } from '../../domains/authoring/publish.ts'
import { issueListSchema } from '../../domains/configuration/issues.ts'

export default eventTool({
  name: 'publish_event',
  title: 'Publish the draft',
  description:
    'Publish the draft: make edits live now (to production) so that visitors see them on the sign-up pages, as the next version with a release note. dryRun shows what would happen. Not for going back (use reset_to_version). Returns version, issues, changed prices and policies.',
  effect: 'change',
  permission: 'events.publish',
  idempotent: true,
  keyed: true,
  dryRun: true,
  input: { note: text(500).optional(), ifRevision: ifRevision(), acceptWarnings: flag().default(true) },
  output: {
    published: flag(),
    wouldPublish: flag().optional(),
    version: count(),
    previousVersion: count().nullable(),
    changes: count(),
    issues: issueListSchema(),
    url: text(2000),
    effects: object({ capacitiesChanged: list(z.string()), reconsentPolicies: list(z.string()), pricesChanged: list(z.string()) }),
    ...truncationResult,
  },
  toPreview: ({ published }) => ({ published: false, wouldPublish: published }),
  run: publishEvent,
})
