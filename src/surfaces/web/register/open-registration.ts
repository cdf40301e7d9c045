import type { RegistrationProgress } from '../../../domains/checkout/progress.ts'
import { acceptInviteFromInviteList } from '../../../domains/checkout/invite-choice.ts'
import { saveDirectoryLookupAnswers } from '../../../domains/checkout/directory-lookup.ts'
import { beginFormVisit } from '../../../domains/checkout/visit.ts'
import { buildDirectoryOutcomeAnswerKey } from '../../../domains/configuration/flow/collected-answers.ts'
import { lookUpEmailInDirectory } from '../../../domains/registration/flows/flow-directories.ts'
import { signInToRegistration } from '../event/person.ts'
import { runChangeFromEventPage, createPublicEventContext, type EventSite } from '../event/event-site.ts'
import type { WebServices, WebContext } from '../web.ts'

export const detectDeviceType = (c: WebContext) => (/\bMobi/.test(c.req.header('user-agent') ?? '') ? 'mobile' : 'desktop')

/** Creates the context for lookups in a member directory, which are external requests and run outside transactions. */
export const createMemberDirectoryContext = (web: WebServices, site: EventSite) => ({
  ...createPublicEventContext(web, site, web.services.database.write),
  fetcher: web.services.fetcher,
})

/**
 * Opens the registration after the participant has proved access to the mailbox, fills in answers from the flow's member directory, and
 * accepts the invitation of a person on the flow's invite list.
 */
export async function signInAndPrefillRegistration(
  web: WebServices,
  c: WebContext,
  site: EventSite,
  { row, flow, answers }: RegistrationProgress,
): Promise<void> {
  await signInToRegistration(web, c, site, { participantId: row.id, email: row.email!, verified: true })
  const { directory } = flow
  const asks = directory !== null && answers[buildDirectoryOutcomeAnswerKey(directory)] === undefined
  const looked = asks ? await lookUpEmailInDirectory(createMemberDirectoryContext(web, site), site, directory, row.email!) : null
  await runChangeFromEventPage(web, site, { action: 'open registration link' }, async (change) => {
    await beginFormVisit(change, row.id, { device: detectDeviceType(c), utm: {} })
    if (looked) await saveDirectoryLookupAnswers(change, row.id, looked)
    await acceptInviteFromInviteList(change, row.id)
  })
}
