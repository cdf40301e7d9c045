import type { Sent } from '../../../domains/checkout/sent-page.ts'
import { seatsLeft } from '../../../domains/groups/groups.ts'
import { importMembers } from '../../../domains/groups/import-members.ts'
import { asPerson, decidesMembers } from '../../../domains/groups/managed-by.ts'
import { memberColumns, offeredTo } from '../../../domains/groups/member-columns.ts'
import { getFlow } from '../../../domains/registration/scene.ts'
import { AppError, type FieldError } from '../../../kernel/errors.ts'
import { formatMoney } from '../../../kernel/language/format.ts'
import { ErrorSummary, errorOf, Form, Input, LinkButton } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import { eventPagesOf } from '../event/frame.tsx'
import { everyValue } from '../form-values.ts'
import { csrfFor, type FormValues, type Web, type WebContext } from '../web.ts'
import { AT_GROUP, type AtGroup, changeGroup, closedInWords, forManager, showGroup, whenManagerSends } from './at.tsx'
import { answersIn, askingAbout, faultsInWords, Questions } from './questions.tsx'

const PATH = `${AT_GROUP}/add`

/** What a manager fills in about somebody: the questions of the group's flow and what is sold there. Rooms are booked by the person. */
function formOf({ place, group }: AtGroup) {
  const flow = getFlow(place, group.flow_slug)
  const columns = memberColumns(place, flow, group)
  return {
    questions: columns.filter(({ binding }) => /^@(participant|custom)\./.test(binding)),
    offers: offeredTo(place, flow, group.tags).filter(({ amount }) => amount !== null),
  }
}

interface Shown {
  sent?: Sent
  errors?: readonly FieldError[]
  message?: string
}

/** `…/group/<code>/add`: registers somebody as a member, as the assistant's tool does. */
export function groupAddPages(web: Web) {
  const show = (c: WebContext, at: AtGroup, { sent, errors = [], message }: Shown = {}) => {
    const { place, home } = at
    const { say, locale } = place.words
    const { questions, offers } = formOf(at)
    const view = askingAbout(place, { errors, ...(sent ? { sent } : {}) })
    const wrong = message ?? (errors.length > 0 ? say('wrong.summary') : undefined)
    return showGroup(
      web,
      c,
      at,
      { title: say('group.add'), ...(wrong ? { status: 400 as const } : {}) },
      <div class="checkout-main">
        <h1>{say('group.add')}</h1>
        <p class="lead">{say('group.addText')}</p>
        <ErrorSummary message={wrong} errors={errors} />
        <Form action={`${home}/add`} csrf={csrfFor(web, c)} class="checkout-main">
          <Card>
            <div class="fields">
              <Questions view={view} questions={questions} />
            </div>
          </Card>
          {offers.length > 0 ? (
            <Card title={say('group.choices')}>
              <div class="fields">
                {offers.map(({ product, amount }) => (
                  <div>
                    <Input
                      name={`@product.${product.code}`}
                      label={product.name}
                      help={
                        Number(amount) === 0
                          ? say('group.freeEach')
                          : say('group.each', { price: formatMoney(locale, { amount: amount!, currency: place.facts.currency }) })
                      }
                      value={view.valueOf(`@product.${product.code}`)[0] ?? '0'}
                      error={errorOf(errors, `@product.${product.code}`)}
                      inputmode="numeric"
                      autocomplete="off"
                      class="quantity"
                    />
                  </div>
                ))}
              </div>
            </Card>
          ) : null}
          <div class="actions">
            <button type="submit" class="button primary">
              {say('group.addButton')}
            </button>
            <LinkButton href={home} tone="quiet">
              {say('edit.keep')}
            </LinkButton>
          </div>
        </Form>
      </div>,
    )
  }

  const isAllowed = (at: AtGroup) => decidesMembers(at) && closedInWords(at) === null && seatsLeft(at.group) > 0

  const add = async (c: WebContext, at: AtGroup, form: FormValues): Promise<Response> => {
    if (!isAllowed(at)) return c.redirect(at.home, 303)
    const { place, group } = at
    const { say } = place.words
    const sent: Sent = (name) => everyValue(form, name)
    const { questions, offers } = formOf(at)
    const bindings = [...questions.map(({ binding }) => binding), ...offers.map(({ product }) => `@product.${product.code}`)]
    const data = answersIn(place, bindings, sent)
    try {
      const { results } = await changeGroup(web, at, 'add_group_member', (ctx) =>
        importMembers(asPerson(ctx, at), { groupCode: group.code, members: [{ data }] }),
      )
      const [result] = results
      if (result?.status === 'new') return c.redirect(`${at.home}?done=${result.registration === 'complete' ? 'added' : 'begun'}`, 303)
      if (result?.status === 'validation_failed') return await show(c, at, { sent, errors: faultsInWords(place, result.errors ?? []) })
      return await show(c, at, { sent, message: say('group.known') })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return show(c, at, { sent, message: error.code === 'limit_exceeded' ? say('group.full') : error.message })
    }
  }

  return eventPagesOf(web)
    .get(
      PATH,
      forManager(web, (c, at): Response | Promise<Response> => (isAllowed(at) ? show(c, at) : c.redirect(at.home, 303))),
    )
    .post(PATH, whenManagerSends(web, add))
}
