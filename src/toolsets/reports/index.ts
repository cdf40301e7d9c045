import { toolset } from '../../kernel/tool.ts'
import getAudienceProfile from './get-audience-profile.ts'
import queryData from './query-data.ts'
import rebuildAudienceProfiles from './rebuild-audience-profiles.ts'

export default toolset('reports', [queryData, getAudienceProfile, rebuildAudienceProfiles])
