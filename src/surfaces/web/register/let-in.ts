import type { Progress } from '../../../domains/checkout/progress.ts'
import { keepLookedUp } from '../../../domains/checkout/look-up.ts'
import { beginVisit } from '../../../domains/checkout/visit.ts'
import { directoryBinding } from '../../../domains/configuration/flow/collects.ts'
import { lookUpByEmail } from '../../../domains/registration/flow-directories.ts'
import { enterRegistration } from '../event/person.ts'
import { changeHere, contextAt, type Place } from '../event/place.ts'
import type { Web, WebContext } from '../web.ts'

export const deviceOf = (c: WebContext) => (/\bMobi/.test(c.req.header('user-agent') ?? '') ? 'mobile' : 'desktop')

/** Directories are asked outside of any transaction. */
export const askingContext = (web: Web, place: Place) => ({
  ...contextAt(web, place, web.road.database.write),
  fetcher: web.road.fetcher,
})

/** Lets somebody who reads the mailbox go on with their registration; what the form's directory knows of them is filled in. */
export async function letIn(web: Web, c: WebContext, place: Place, { row, flow, answers }: Progress): Promise<void> {
  await enterRegistration(web, c, place, { participantId: row.id, email: row.email! })
  const { directory } = flow
  const asks = directory !== null && answers[directoryBinding(directory)] === undefined
  const looked = asks ? await lookUpByEmail(askingContext(web, place), place, directory, row.email!) : null
  await changeHere(web, place, { action: 'open registration link' }, async (change) => {
    await beginVisit(change, row.id, { device: deviceOf(c), utm: {} })
    if (looked) await keepLookedUp(change, row.id, looked)
  })
}
