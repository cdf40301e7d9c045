import { flag, list, pageArguments, pageResult, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { getAudienceProfiles } from '../../domains/audiences/read-profiles.ts'
import { AudienceResultSchemas } from '../../domains/audiences/shapes.ts'

export default eventTool({
  name: 'get_audience_profile',
  title: 'Get audience profiles',
  description:
    'See what kinds of attendees an event has: groups of similar visitors (personas, clusters) with traits, lift, average spend, show rate and products; one with its members, or two compared to see how they differ. Not for counts by one field (use query_data). Returns the build, profiles and differences.',
  effect: 'read',
  permission: ['reports.read', 'registration.read'],
  input: {
    profile: text(200).optional(),
    includeMembers: flag().optional(),
    compare: text(200).optional(),
    ...pageArguments,
  },
  output: {
    build: AudienceResultSchemas.build,
    profiles: list(AudienceResultSchemas.profile),
    difference: list(AudienceResultSchemas.difference).optional(),
    ...pageResult,
  },
  findArgumentErrors: (sent) =>
    (['includeMembers', 'compare'] as const)
      .filter((name) => sent[name] && sent['profile'] === undefined)
      .map((path) => ({ path, message: 'needs profile: the code or name of one profile' })),
  run: getAudienceProfiles,
})
