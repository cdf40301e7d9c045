import { toolset } from '../../kernel/tool.ts'
import describeData from './describe-data.ts'
import getAudienceProfile from './get-audience-profile.ts'
import getMyEventsStats from './get-my-events-stats.ts'
import queryAcrossEvents from './query-across-events.ts'
import queryData from './query-data.ts'
import rebuildAudienceProfiles from './rebuild-audience-profiles.ts'

/** In the order of the specification. */
export default toolset('reports', [
  describeData,
  queryData,
  queryAcrossEvents,
  getMyEventsStats,
  getAudienceProfile,
  rebuildAudienceProfiles,
])
