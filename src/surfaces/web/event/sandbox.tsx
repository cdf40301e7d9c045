import { findSandboxPage, isTestCard, type SandboxPage, showTestCard } from '../../../domains/payments/sandbox.ts'
import { formatMoney } from '../../../kernel/language/format.ts'
import type { Money } from '../../../kernel/money.ts'
import { refreshSetup, refreshStanding } from '../../payments/checkout.ts'
import { Actions, Button, errorOf, type Errors, ErrorSummary, Form, Input, LinkButton } from '../components/forms.tsx'
import { Card, Notice } from '../components/parts.tsx'
import { showMissing } from '../lost.tsx'
import { csrfFor, readForm, type Web, type WebContext } from '../web.ts'
import { eventPagesOf, showAt } from './frame.tsx'
import { placeNamed } from './place.ts'

type Page = SandboxPage & { amount: Money }

const CARDS: readonly (readonly [number: string, what: string])[] = [
  ['4242 4242 4242 4242', 'is paid'],
  ['4000 0000 0000 0002', 'is declined'],
  ['4000 0000 0000 0119', 'is unknown for a minute, then paid'],
]

/** `/sandbox/pay/<charge>` and `/sandbox/setup/<setup>`: the processor of test data. For a real row there is nothing here. */
export function sandboxPages(web: Web) {
  const pageOf = (c: WebContext): Promise<Page | null> => {
    const { kind, id = '' } = c.req.param() as Record<string, string>
    return kind === 'pay' || kind === 'setup' ? findSandboxPage(web.road.database.write, kind, id) : Promise.resolve(null)
  }
  return eventPagesOf(web)
    .get('/sandbox/:kind/:id', async (c) => {
      const page = await pageOf(c)
      return page ? showPage(web, c, page) : showMissing(web, c)
    })
    .post('/sandbox/:kind/:id', async (c) => {
      const page = await pageOf(c)
      if (!page) return showMissing(web, c)
      const sent = await readForm(web, c)
      const number = (sent?.['card'] ?? '').replaceAll(/[\s-]/g, '')
      if (!sent) return showPage(web, c, page, [{ path: '', message: 'This form is too old — try again' }])
      if (!isTestCard(number)) return showPage(web, c, page, [{ path: 'card', message: 'Use one of the three test cards below' }])
      await showTestCard(web.road.database.write, page, number)
      await (page.kind === 'pay' ? refreshStanding(web.road, page, page.id) : refreshSetup(web.road, page, page.id))
      return c.redirect(page.returnUrl, 303)
    })
}

async function showPage(web: Web, c: WebContext, page: Page, errors?: Errors) {
  const place = await placeNamed(web, c, page)
  if (!place) return showMissing(web, c)
  const amount = formatMoney(place.words.locale, page.amount)
  const doing = page.kind === 'pay' ? `Pay ${amount}` : 'Leave this card'
  return showAt(
    web,
    c,
    place,
    { title: 'TEST — no money', ...(errors ? { status: 400 as const } : {}) },
    <div class="narrow">
      <h1>TEST — no money</h1>
      <Notice tone="warning">This page stands in for a card processor while things are tried out. No card is charged here.</Notice>
      {page.open ? (
        <Card>
          <ErrorSummary errors={errors} />
          <Form csrf={csrfFor(web, c)} action={c.req.path}>
            <Input
              name="card"
              label="Test card"
              value={CARDS[0]![0]}
              inputmode="numeric"
              autocomplete="off"
              required
              error={errorOf(errors, 'card')}
              help={CARDS.map(([number, what]) => `${number} ${what}`).join(' · ')}
            />
            <Actions>
              <Button tone="primary">{doing}</Button>
              <LinkButton href={page.cancelUrl}>Go back without it</LinkButton>
            </Actions>
          </Form>
        </Card>
      ) : (
        <Card>
          <p>A card was shown here already, or the time for it is over.</p>
          <Actions>
            <LinkButton href={page.returnUrl} tone="primary">
              See how it stands
            </LinkButton>
          </Actions>
        </Card>
      )}
    </div>,
  )
}
