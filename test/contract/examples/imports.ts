import { createUploadFixtures } from '../../support/uploads.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'

const event = ({ home }: Stage) => ({ eventCode: home.eventCode })

/** Uploads the import file to the client's file library, for this event only. */
export async function storeSheetFile(stage: Stage, text: string): Promise<string> {
  const { id } = await createUploadFixtures(stage.world, stage.home).file(
    Buffer.from(text),
    { name: 'sheet.csv' },
    { clientId: stage.home.clientId, eventId: stage.home.eventId },
  )
  return id
}

let made = 0
const prices = (stage: Stage) => `code,name,price\nlisted-${++made},${stage.text()},12.50\n`

const people = (stage: Stage) =>
  `First name,Last name,Email,Company
Ada,${stage.text()},a${++made}@example.org,${stage.text()}
`

async function setupId(stage: Stage): Promise<string> {
  return (await stage.admin.call('setup_import_flow', { ...event(stage), text: people(stage), sourceSystem: 'elsewhere' })).setupId
}

async function savedSetupId(stage: Stage): Promise<string> {
  const text = people(stage)
  return (await stage.admin.call('setup_import_flow', { ...event(stage), text, sourceSystem: 'elsewhere', save: true })).setupId
}

export const IMPORT_EXAMPLES: Examples = {
  import_products: [
    (stage) => ({ ...event(stage), text: prices(stage) }),
    async (stage) => ({
      ...event(stage),
      fileId: await storeSheetFile(stage, prices(stage)),
      mapping: [{ column: 'name', field: 'name' }],
    }),
  ],
  setup_import_flow: [
    (stage) => ({ ...event(stage), text: people(stage), sourceSystem: 'elsewhere', save: true }),
    async (stage) => ({ ...event(stage), fileIds: [await storeSheetFile(stage, people(stage))], sourceSystem: 'elsewhere' }),
    async (stage) => ({ ...event(stage), setupId: await setupId(stage), formats: { dateOrder: 'DMY' } }),
  ],
  import_event: async (stage) => ({ ...event(stage), setupId: await savedSetupId(stage), mode: 'test' }),
  delete_test_imports: [
    async (stage) => {
      await stage.admin.call('import_event', { ...event(stage), setupId: await savedSetupId(stage), mode: 'test' })
      return event(stage)
    },
    async (stage) => {
      const { runId } = await stage.admin.call('import_event', { ...event(stage), setupId: await savedSetupId(stage), mode: 'test' })
      return { ...event(stage), runId }
    },
  ],
}
