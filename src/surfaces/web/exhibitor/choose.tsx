import { setSessionCompany } from '../../../domains/codes/person-sessions.ts'
import { listPortalCompanies } from '../../../domains/exhibitors/portal/access.ts'
import { Form } from '../components/forms.tsx'
import { sendNotFoundPage } from '../error-pages.tsx'
import { NarrowPage, createEventRouter, showEventPage } from '../event/event-layout.tsx'
import { createPublicEventContext, type EventSite, findEventSite } from '../event/event-site.ts'
import { findPersonSignInSession } from '../event/person.ts'
import { SignOutForm } from '../event/sign-out.tsx'
import type { PersonSession } from '../../../domains/codes/person-sessions.ts'
import { getCsrfToken, readSameOriginForm, type WebContext, type WebServices } from '../web.ts'
import { EXHIBITOR_PATH } from './portal-access.tsx'

const PATH = `${EXHIBITOR_PATH}/companies`

/** `…/exhibitor/companies`: people who belong to several companies choose one. The choice is stored in the sign-in session. */
export function companyChoicePages(web: WebServices) {
  const signedIn = (handle: (c: WebContext, site: EventSite, session: PersonSession) => Promise<Response>) => async (c: WebContext) => {
    const site = await findEventSite(web, c)
    if (!site) return sendNotFoundPage(web, c)
    const session = await findPersonSignInSession(web, c, site, 'exhibitor')
    return session ? handle(c, site, session) : c.redirect(`${site.paths.exhibitor}/sign-in`, 303)
  }

  const show = signedIn(async (c, site, { email }) => {
    const { say } = site.words
    const companies = await listPortalCompanies(createPublicEventContext(web, site), email)
    if (companies.length < 2) return c.redirect(site.paths.exhibitor, 303)
    return showEventPage(
      web,
      c,
      site,
      { title: say('portal.choose') },
      <NarrowPage title={say('portal.choose')} text={say('portal.chooseText', { email })}>
        <Form action={`${site.paths.exhibitor}/companies`} csrf={getCsrfToken(web, c)} class="stack">
          {companies.map(({ company }) => (
            <button type="submit" class="button wide" name="company" value={company.code}>
              {company.name}
            </button>
          ))}
        </Form>
        <SignOutForm site={site} action={`${site.paths.exhibitor}/sign-out`} csrf={getCsrfToken(web, c)} email={email} />
      </NarrowPage>,
    )
  })

  const choose = signedIn(async (c, site, { email, tokenHash }) => {
    const form = await readSameOriginForm(web, c)
    const companies = await listPortalCompanies(createPublicEventContext(web, site), email)
    const chosen = companies.find(({ company }) => company.code === form?.['company'])
    if (chosen) await setSessionCompany(web.services.database.write, { tenantId: site.tenantId, tokenHash }, chosen.company.id)
    return c.redirect(site.paths.exhibitor, 303)
  })

  return createEventRouter(web).get(PATH, show).post(PATH, choose)
}
