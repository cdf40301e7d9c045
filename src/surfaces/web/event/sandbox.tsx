import { findSandboxPage, isTestCard, type SandboxPage, submitTestCard } from '../../../domains/payments/sandbox.ts'
import { formatMoney } from '../../../kernel/language/format.ts'
import type { Money } from '../../../kernel/money.ts'
import { refreshSetup, refreshChargeStatus } from '../../payments/checkout.ts'
import { SubmitForm } from '../components/form-page.tsx'
import { Actions, findFieldError, type FieldErrors, Input, LinkButton } from '../components/forms.tsx'
import { Notice } from '../components/parts.tsx'
import { sendNotFoundPage } from '../error-pages.tsx'
import { csrfFor, readOwnForm, type WebServices, type WebContext } from '../web.ts'
import { NarrowPage, newEventRouter, showEventPage } from './event-layout.tsx'
import { findEventSiteByCodes } from './event-site.ts'

type Page = SandboxPage & { amount: Money }

const TEST_CARDS: readonly (readonly [number: string, what: string])[] = [
  ['4242 4242 4242 4242', 'succeeds'],
  ['4000 0000 0000 0002', 'is declined'],
  ['4000 0000 0000 0119', 'stays pending for a minute, then succeeds'],
]

/** `/sandbox/pay/<charge>` and `/sandbox/setup/<setup>`: a simulated payment provider for test data. Real payments are not found here. */
export function sandboxPages(web: WebServices) {
  const pageOf = (c: WebContext): Promise<Page | null> => {
    const { kind, id = '' } = c.req.param() as Record<string, string>
    return kind === 'pay' || kind === 'setup' ? findSandboxPage(web.services.database.write, kind, id) : Promise.resolve(null)
  }
  return newEventRouter(web)
    .get('/sandbox/:kind/:id', async (c) => {
      const page = await pageOf(c)
      return page ? showPage(web, c, page) : sendNotFoundPage(web, c)
    })
    .post('/sandbox/:kind/:id', async (c) => {
      const page = await pageOf(c)
      if (!page) return sendNotFoundPage(web, c)
      const sent = await readOwnForm(web, c)
      const number = (sent?.['card'] ?? '').replaceAll(/[\s-]/g, '')
      if (!sent) return showPage(web, c, page, [{ path: '', message: 'This form has expired. Please try again' }])
      if (!isTestCard(number)) return showPage(web, c, page, [{ path: 'card', message: 'Use one of the three test cards below' }])
      await submitTestCard(web.services.database.write, page, number)
      await (page.kind === 'pay' ? refreshChargeStatus(web.services, page, page.id) : refreshSetup(web.services, page, page.id))
      return c.redirect(page.returnUrl, 303)
    })
}

async function showPage(web: WebServices, c: WebContext, page: Page, errors?: FieldErrors) {
  const site = await findEventSiteByCodes(web, c, page)
  if (!site) return sendNotFoundPage(web, c)
  const amount = formatMoney(site.words.locale, page.amount)
  const doing = page.kind === 'pay' ? `Pay ${amount}` : 'Save this card'
  return showEventPage(
    web,
    c,
    site,
    { title: 'TEST — no money', ...(errors ? { status: 400 as const } : {}) },
    <NarrowPage title="TEST — no money" formErrors={errors && { errors }}>
      <Notice tone="warning">This page simulates a payment provider for test data. No card is charged.</Notice>
      {page.open ? (
        <SubmitForm csrf={csrfFor(web, c)} action={c.req.path} submit={doing} cancel={page.cancelUrl} cancelLabel="Cancel and go back">
          <Input
            name="card"
            label="Test card"
            value={TEST_CARDS[0]![0]}
            inputmode="numeric"
            autocomplete="off"
            required
            error={findFieldError(errors, 'card')}
            help={TEST_CARDS.map(([number, what]) => `${number} ${what}`).join(' · ')}
          />
        </SubmitForm>
      ) : (
        <>
          <p>This payment page has already been used or has expired.</p>
          <Actions>
            <LinkButton href={page.returnUrl} tone="primary">
              Show the payment status
            </LinkButton>
          </Actions>
        </>
      )}
    </NarrowPage>,
  )
}
