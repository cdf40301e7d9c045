import { readDraftConfiguration, readLiveConfiguration } from '../../configuration/read.ts'
import type { EventConfig } from '../../configuration/schema/event-config.ts'
import { runWithoutReportDbRole } from '../../figures/query/snapshot-role.ts'
import type { ReportScope } from './types.ts'

/** Reads the published configuration of the event, or its draft if it was never published. */
export const readEventConfig = ({ snapshot }: ReportScope): Promise<EventConfig> =>
  runWithoutReportDbRole(snapshot, async () => {
    const draft = await readDraftConfiguration(snapshot.ctx)
    return ((await readLiveConfiguration(snapshot.ctx, draft)) ?? draft).config
  })
