import type { RegistrationProgress } from '../../../domains/checkout/progress.ts'
import { acceptListedInvitation } from '../../../domains/checkout/invite-choice.ts'
import { saveDirectoryAnswers } from '../../../domains/checkout/directory-lookup.ts'
import { beginVisit } from '../../../domains/checkout/visit.ts'
import { toDirectoryBinding } from '../../../domains/configuration/flow/collected-answers.ts'
import { lookUpByEmail } from '../../../domains/registration/flows/flow-directories.ts'
import { startRegistrationSession } from '../event/person.ts'
import { changeAtEvent, eventContext, type EventSite } from '../event/event-site.ts'
import type { WebServices, WebContext } from '../web.ts'

export const detectDevice = (c: WebContext) => (/\bMobi/.test(c.req.header('user-agent') ?? '') ? 'mobile' : 'desktop')

/** Creates the context for lookups in a member directory, which are external requests and run outside transactions. */
export const directoryContext = (web: WebServices, site: EventSite) => ({
  ...eventContext(web, site, web.services.database.write),
  fetcher: web.services.fetcher,
})

/**
 * Opens the registration after the participant has proved access to the mailbox, fills in answers from the flow's member directory, and
 * accepts the invitation of a person on the flow's invite list.
 */
export async function openRegistration(
  web: WebServices,
  c: WebContext,
  site: EventSite,
  { row, flow, answers }: RegistrationProgress,
): Promise<void> {
  await startRegistrationSession(web, c, site, { participantId: row.id, email: row.email!, verified: true })
  const { directory } = flow
  const asks = directory !== null && answers[toDirectoryBinding(directory)] === undefined
  const looked = asks ? await lookUpByEmail(directoryContext(web, site), site, directory, row.email!) : null
  await changeAtEvent(web, site, { action: 'open registration link' }, async (change) => {
    await beginVisit(change, row.id, { device: detectDevice(c), utm: {} })
    if (looked) await saveDirectoryAnswers(change, row.id, looked)
    await acceptListedInvitation(change, row.id)
  })
}
