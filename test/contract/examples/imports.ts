import { uploading } from '../../support/uploading.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'

const event = ({ home }: Stage) => ({ eventCode: home.eventCode })

/** In the library of the event's client, for this event alone. */
async function sheetFile(stage: Stage, text: string): Promise<string> {
  const { id } = await uploading(stage.world, stage.home).file(
    Buffer.from(text),
    { name: 'sheet.csv' },
    { clientId: stage.home.clientId, eventId: stage.home.eventId },
  )
  return id
}

let made = 0
const prices = (stage: Stage) => `code,name,price\nlisted-${++made},${stage.text()},12.50\n`

export const IMPORT_EXAMPLES: Examples = {
  import_products: [
    (stage) => ({ ...event(stage), text: prices(stage) }),
    async (stage) => ({ ...event(stage), fileId: await sheetFile(stage, prices(stage)), mapping: [{ column: 'name', field: 'name' }] }),
  ],
}
