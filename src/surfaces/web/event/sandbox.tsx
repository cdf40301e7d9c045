import { findSandboxPaymentPage, isTestCard, type SandboxPaymentPage, submitTestCard } from '../../../domains/payments/sandbox.ts'
import { formatMoney } from '../../../kernel/language/format.ts'
import type { Money } from '../../../kernel/money.ts'
import { refreshCardSetupStatus, refreshChargeStatus } from '../../payments/checkout.ts'
import { FormActions, ErrorSummary, findFieldError, Form, LinkButton } from '../components/forms.tsx'
import { Notice } from '../components/parts.tsx'
import { sendNotFoundPage } from '../error-pages.tsx'
import { FieldGroup } from '../register/fields.tsx'
import { getCsrfToken, readSameOriginForm, type WebServices, type WebContext } from '../web.ts'
import { NarrowPage, createEventRouter, showEventPage, toFormErrors } from './event-layout.tsx'
import { type EventSite, findEventSiteByCodes } from './event-site.ts'

type Page = SandboxPaymentPage & { amount: Money }

const TEST_CARDS = [
  { number: '4242 4242 4242 4242', effect: 'sandbox.succeeds' },
  { number: '4000 0000 0000 0002', effect: 'sandbox.declined' },
  { number: '4000 0000 0000 0119', effect: 'sandbox.pending' },
] as const

/** `/sandbox/pay/<charge>` and `/sandbox/setup/<setup>`: a simulated payment provider for test data. Real payments have no page here. */
export function sandboxPaymentPages(web: WebServices) {
  const pageOf = (c: WebContext): Promise<Page | null> => {
    const { kind, id = '' } = c.req.param() as Record<string, string>
    return kind === 'pay' || kind === 'setup' ? findSandboxPaymentPage(web.services.database.write, kind, id) : Promise.resolve(null)
  }
  return createEventRouter(web)
    .get('/sandbox/:kind/:id', async (c) => {
      const page = await pageOf(c)
      return page ? showPage(web, c, page) : sendNotFoundPage(web, c)
    })
    .post('/sandbox/:kind/:id', async (c) => {
      const page = await pageOf(c)
      if (!page) return sendNotFoundPage(web, c)
      const sent = await readSameOriginForm(web, c)
      const number = (sent?.['card'] ?? '').replaceAll(/[\s-]/g, '')
      if (!sent) return showPage(web, c, page, { key: 'error.expired', path: '' })
      if (!isTestCard(number)) return showPage(web, c, page, { key: 'sandbox.unknownCard', path: 'card' })
      await submitTestCard(web.services.database.write, page, number)
      await (page.kind === 'pay' ? refreshChargeStatus(web.services, page, page.id) : refreshCardSetupStatus(web.services, page, page.id))
      return c.redirect(page.returnUrl, 303)
    })
}

interface PageError {
  key: 'error.expired' | 'sandbox.unknownCard'
  path: string
}

async function showPage(web: WebServices, c: WebContext, page: Page, wrong?: PageError) {
  const site = await findEventSiteByCodes(web, c, page)
  if (!site) return sendNotFoundPage(web, c)
  const { say } = site.words
  const errors = wrong ? [{ path: wrong.path, message: say(wrong.key) }] : []
  return showEventPage(
    web,
    c,
    site,
    { title: say('sandbox.title'), ...(wrong ? { status: 400 as const } : {}) },
    page.open ? (
      <div class="checkout narrow">
        <div class="head">
          <h1>{say('sandbox.title')}</h1>
          <Notice tone="warning">{say('sandbox.text')}</Notice>
          <ErrorSummary {...toFormErrors(site, errors)} />
        </div>
        <CardForm site={site} page={page} csrf={getCsrfToken(web, c)} action={c.req.path} error={findFieldError(errors, 'card')} />
      </div>
    ) : (
      <NarrowPage title={say('sandbox.title')}>
        <Notice tone="warning">{say('sandbox.text')}</Notice>
        <p>{say('sandbox.used')}</p>
        <FormActions>
          <LinkButton href={page.returnUrl} tone="primary">
            {say('sandbox.status')}
          </LinkButton>
        </FormActions>
      </NarrowPage>
    ),
  )
}

interface CardFormProps {
  site: EventSite
  page: Page
  csrf: string
  action: string
  error: string | undefined
}

/** The page with the amount, and with test card numbers and the result of each. */
function CardForm({ site, page, csrf, action, error }: CardFormProps) {
  const { say, locale } = site.words
  const amount = formatMoney(locale, page.amount)
  const isPayment = page.kind === 'pay'
  return (
    <>
      <Form action={action} csrf={csrf} class="checkout-main" id="card-form">
        <section class="card">
          <div class="card-body fields">
            {isPayment ? (
              <dl class="lines">
                <div class="total first">
                  <dt>{site.config.details.name}</dt>
                  <dd class="money">{amount}</dd>
                </div>
              </dl>
            ) : null}
            <FieldGroup field={{ name: 'card', label: say('sandbox.card'), error }}>
              <div class="options">
                {TEST_CARDS.map(({ number, effect }, at) => (
                  <label class="option">
                    <input type="radio" name="card" value={number.replaceAll(' ', '')} checked={at === 0} />
                    <span class="name money">{number}</span>
                    <span class="about">{say(effect)}</span>
                  </label>
                ))}
              </div>
            </FieldGroup>
          </div>
        </section>
      </Form>
      <div class="bar stacked">
        <button type="submit" form="card-form" class="button primary large">
          {isPayment ? say('register.payAmount', { amount }) : say('sandbox.save')}
        </button>
        <a class="button quiet back" href={page.cancelUrl}>
          {say('sandbox.cancel')}
        </a>
      </div>
    </>
  )
}
