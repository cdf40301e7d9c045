import { toolset } from '../../kernel/tool.ts'
import getAudienceProfile from './get-audience-profile.ts'
import rebuildAudienceProfiles from './rebuild-audience-profiles.ts'

export default toolset('reports', [getAudienceProfile, rebuildAudienceProfiles])
