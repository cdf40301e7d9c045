import type { SentValues } from '../../../domains/checkout/sent-page.ts'
import { seatsLeft } from '../../../domains/groups/groups.ts'
import { importMembers } from '../../../domains/groups/import-members.ts'
import { asPerson, decidesMembers } from '../../../domains/groups/managed-by.ts'
import { memberColumns, offeredTo } from '../../../domains/groups/member-columns.ts'
import { getFlow } from '../../../domains/registration/event-snapshot.ts'
import { AppError, type FieldError } from '../../../kernel/errors.ts'
import { formatMoney } from '../../../kernel/language/format.ts'
import { ErrorSummary, findFieldError, Form, Input, LinkButton } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import { newEventRouter } from '../event/event-layout.tsx'
import { allValues } from '../form-values.ts'
import { csrfFor, type FormValues, type Web, type WebContext } from '../web.ts'
import { GROUP_PATH, type ManagedGroup, changeGroup, groupClosedReason, forManager, showGroupPage, onManagerPost } from './group-access.tsx'
import { readAnswers, buildQuestionView, toFieldErrors, Questions } from './questions.tsx'

const PATH = `${GROUP_PATH}/add`

/** Questions of the group's flow and its products. Members book their rooms themselves. */
function memberForm({ site, group }: ManagedGroup) {
  const flow = getFlow(site, group.flow_slug)
  const columns = memberColumns(site, flow, group)
  return {
    questions: columns.filter(({ binding }) => /^@(participant|custom)\./.test(binding)),
    offers: offeredTo(site, flow, group.tags).filter(({ amount }) => amount !== null),
  }
}

interface AddFormState {
  sent?: SentValues
  errors?: readonly FieldError[]
  message?: string
}

/** `…/group/<code>/add`: registers a new member. */
export function groupAddPages(web: Web) {
  const show = (c: WebContext, at: ManagedGroup, { sent, errors = [], message }: AddFormState = {}) => {
    const { site, home } = at
    const { say, locale } = site.words
    const { questions, offers } = memberForm(at)
    const view = buildQuestionView(site, { errors, ...(sent ? { sent } : {}) })
    const wrong = message ?? (errors.length > 0 ? say('error.summary') : undefined)
    return showGroupPage(
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
            <Card title={say('group.products')}>
              <div class="fields">
                {offers.map(({ product, amount }) => (
                  <div>
                    <Input
                      name={`@product.${product.code}`}
                      label={product.name}
                      help={
                        Number(amount) === 0
                          ? say('group.freeEach')
                          : say('group.each', { price: formatMoney(locale, { amount: amount!, currency: site.facts.currency }) })
                      }
                      value={view.valueOf(`@product.${product.code}`)[0] ?? '0'}
                      error={findFieldError(errors, `@product.${product.code}`)}
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
              {say('group.back')}
            </LinkButton>
          </div>
        </Form>
      </div>,
    )
  }

  const isAllowed = (at: ManagedGroup) => decidesMembers(at) && groupClosedReason(at) === null && seatsLeft(at.group) > 0

  const add = async (c: WebContext, at: ManagedGroup, form: FormValues): Promise<Response> => {
    if (!isAllowed(at)) return c.redirect(at.home, 303)
    const { site, group } = at
    const { say } = site.words
    const sent: SentValues = (name) => allValues(form, name)
    const { questions, offers } = memberForm(at)
    const bindings = [...questions.map(({ binding }) => binding), ...offers.map(({ product }) => `@product.${product.code}`)]
    const data = readAnswers(site, bindings, sent)
    try {
      const { results } = await changeGroup(web, at, 'add_group_member', (ctx) =>
        importMembers(asPerson(ctx, at), { groupCode: group.code, members: [{ data }] }),
      )
      const [result] = results
      if (result?.status === 'new') return c.redirect(`${at.home}?done=${result.registration === 'complete' ? 'added' : 'begun'}`, 303)
      if (result?.status === 'validation_failed') return await show(c, at, { sent, errors: toFieldErrors(site, result.errors ?? []) })
      return await show(c, at, { sent, message: say('group.alreadyRegistered') })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return show(c, at, { sent, message: error.code === 'limit_exceeded' ? say('group.full') : error.message })
    }
  }

  return newEventRouter(web)
    .get(
      PATH,
      forManager(web, (c, at): Response | Promise<Response> => (isAllowed(at) ? show(c, at) : c.redirect(at.home, 303))),
    )
    .post(PATH, onManagerPost(web, add))
}
