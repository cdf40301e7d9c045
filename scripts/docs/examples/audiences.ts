import { buildProfilesJob } from '../../../src/domains/audiences/building/build-job.ts'
import { type Examples, SUMMIT_SCOPE } from './example.ts'

export const AUDIENCES_EXAMPLES: Examples = {
  get_audience_profile: async (stage) => {
    const { jobId } = await stage.call('rebuild_audience_profiles', SUMMIT_SCOPE)
    await stage.run(buildProfilesJob, jobId)
    return SUMMIT_SCOPE
  },
  rebuild_audience_profiles: () => ({
    ...SUMMIT_SCOPE,
    rules: [{ name: 'Speakers', filter: { field: 'tags', op: 'contains', value: 'speaker' } }],
    weights: { spend: 2 },
    dryRun: true,
  }),
}
