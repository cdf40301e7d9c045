import { readDraft, readLiveConfiguration } from '../../configuration/read.ts'
import type { EventConfig } from '../../configuration/schema/event-config.ts'
import type { ReportScope } from './types.ts'

/** The live configuration of the event, or its draft if it was never published. */
export async function readEventConfig({ snapshot }: ReportScope): Promise<EventConfig> {
  const draft = await readDraft(snapshot.ctx)
  return ((await readLiveConfiguration(snapshot.ctx, draft)) ?? draft).config
}
