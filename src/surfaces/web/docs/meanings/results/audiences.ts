import type { FieldDocsByTool } from '../meanings.ts'

export const AUDIENCE_RESULT_DOCS: FieldDocsByTool = {
  get_audience_profile: {
    build:
      'The calculation whose profiles are shown. `status` is that of the latest one: `unchanged` if the data was the same. `stale`: over 7 days old, or the number of people changed by more than 10 percent. `unassigned`: people registered since. `dropped`: features that were not used.',
    profiles:
      'The groups by size. `traits` are levels at least 10 points above the share of all people; `lift` is the ratio of the two. Figures of `behaviour` are null below 5 people or answers.',
    difference: 'Levels whose shares differ by at least 10 points between `profile` and `compare`.',
  },
  rebuild_audience_profiles: {
    jobId: 'Id of the background job.',
    buildId: 'Id of the build. get_audience_profile shows its status and result.',
    status: 'Always `queued`.',
    population: 'Number of people: registered, not guests, not test data.',
    features: 'The features with their number of levels and the percentage of the most common level.',
    patterns: 'Number of different combinations of levels among people without a rule.',
    warnings: 'Rules without participants.',
  },
}
