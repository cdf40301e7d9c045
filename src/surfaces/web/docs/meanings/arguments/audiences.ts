import type { FieldDocsByTool } from '../meanings.ts'

export const AUDIENCE_ARGUMENT_DOCS: FieldDocsByTool = {
  get_audience_profile: {
    profile: 'Code or name of one profile, such as p1. All profiles if left out.',
    includeMembers: 'Also list the members of `profile`, the most typical first.',
    compare: 'Code or name of a second profile, to compare `profile` with.',
  },
  rebuild_audience_profiles: {
    'rules.name': 'The name of the group.',
    'rules.filter': 'A condition tree on participants.',
    rules: 'Fixed groups. A participant belongs to the first whose filter matches; the others are grouped by similarity.',
    useFields: 'Codes of choice fields to use as features too. Sensitive fields are refused.',
    weights: 'How much a difference in a feature counts: 1 if left out, 0 to ignore the feature.',
    k: 'The number of groups. If left out, the number with the clearest groups is chosen.',
    minSize: 'Minimum size of a group, if k is left out; at least 2 percent of the people in any case. Default 10.',
  },
}
