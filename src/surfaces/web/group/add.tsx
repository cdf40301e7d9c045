import type { GetFormValues } from '../../../domains/checkout/sent-page.ts'
import { toProductAnswerKey } from '../../../domains/configuration/flow/collected-answers.ts'
import { countSeatsLeft } from '../../../domains/groups/groups.ts'
import { importMembers } from '../../../domains/groups/import-members.ts'
import { queryDirectoryForMemberImport } from '../../../domains/groups/look-up-members.ts'
import { toGroupManagerScope, canManageMembers } from '../../../domains/groups/managers.ts'
import { listMemberColumns, listProductsOfferedToMembers } from '../../../domains/groups/member-columns.ts'
import { sendInvites } from '../../../domains/groups/send-invites.ts'
import { toProductInventoryKey } from '../../../domains/inventory/units.ts'
import { getFlow } from '../../../domains/registration/event-snapshot.ts'
import { readRemainingCapacity } from '../../../domains/registration/flows/flow-openings.ts'
import { AppError, type FieldError } from '../../../kernel/errors.ts'
import { formatMoney } from '../../../kernel/language/format.ts'
import { SubmitForm } from '../components/form-page.tsx'
import { findFieldError, LinkButton } from '../components/forms.tsx'
import { Card, StatusLabel } from '../components/parts.tsx'
import { MainColumn, createEventRouter, toFormErrors } from '../event/event-layout.tsx'
import { listFieldValues } from '../form-values.ts'
import type { QuestionFieldContext } from '../register/fields.tsx'
import { createMemberDirectoryContext } from '../register/open-registration.ts'
import { LOW_STOCK_THRESHOLD } from '../register/products.tsx'
import { QuantityStepper } from '../register/stepper.tsx'
import { getCsrfToken, type FormValues, type WebServices, type WebContext } from '../web.ts'
import {
  GROUP_MANAGER_PATH,
  type ManagedGroup,
  runGroupChange,
  findGroupClosedReason,
  withGroupManagerAccess,
  showGroupPage,
  handleGroupManagerPost,
} from './group-access.tsx'
import { readMemberFormAnswers, buildMemberQuestionContext, toMemberFieldErrors, MemberFormQuestions } from './questions.tsx'

const PATH = `${GROUP_MANAGER_PATH}/add`

/** The form for a new member: the questions of the group's flow and its products. Members book their rooms themselves. */
function memberForm({ site, group }: ManagedGroup) {
  const flow = getFlow(site, group.flow_slug)
  const columns = listMemberColumns(site, flow, group)
  return {
    questions: columns.filter(({ binding }) => /^@(participant|custom)\./.test(binding)),
    offers: listProductsOfferedToMembers(site, flow, group.tags).filter(({ amount }) => amount !== null),
  }
}

interface AddFormState {
  sent?: GetFormValues
  errors?: readonly FieldError[]
  message?: string
}

interface OfferRowProps {
  view: QuestionFieldContext
  offer: ReturnType<typeof memberForm>['offers'][number]
  /** The number of units of the product that can still be sold; null without a limit. */
  left: number | null
}

/**
 * A product with its group price and a field for the quantity. A sold-out product has no field, because members who are added cannot join a
 * waiting list.
 */
const OfferRow = ({ view, offer: { product, amount }, left }: OfferRowProps) => {
  const { site, errors } = view
  const { say, locale } = site.words
  const binding = toProductAnswerKey(product.code)
  const error = findFieldError(errors, binding)
  const price =
    Number(amount) === 0
      ? say('group.freeEach')
      : say('group.each', { price: formatMoney(locale, { amount: amount!, currency: site.facts.currency }) })
  if (left !== null && left <= 0)
    return (
      <div class="option plain off">
        <span class="name">{product.name}</span>
        <span class="price">{price}</span>
        <span class="states">
          <StatusLabel>{say('event.soldOut')}</StatusLabel>
        </span>
      </div>
    )
  return (
    <div class="option plain">
      <label class="name" for={binding}>
        {product.name}
        <span class="hidden">, {say('register.howMany')}</span>
      </label>
      <span class="price">{price}</span>
      {left !== null && left <= LOW_STOCK_THRESHOLD ? (
        <span class="states">
          <StatusLabel tone="warning">{say('event.left', { count: left })}</StatusLabel>
        </span>
      ) : null}
      {error ? <span class="error states">{error}</span> : null}
      <QuantityStepper
        words={site.words}
        product={product.name}
        id={binding}
        name={binding}
        max={product.perPerson}
        value={view.valueOf(binding)[0] ?? '0'}
      />
    </div>
  )
}

/** `…/group/<code>/add`: registers a new member. */
export function groupMemberCreationPages(web: WebServices) {
  const show = async (c: WebContext, at: ManagedGroup, { sent, errors = [], message }: AddFormState = {}) => {
    const { site, home, ctx } = at
    const { say } = site.words
    const { questions, offers } = memberForm(at)
    const view = buildMemberQuestionContext(site, { errors, ...(sent ? { sent } : {}) })
    const left = await readRemainingCapacity(ctx)
    const formErrors = toFormErrors(site, errors, message)
    return showGroupPage(
      web,
      c,
      at,
      { title: say('group.add'), status: formErrors ? 400 : 200 },
      <MainColumn title={say('group.add')} text={say('group.addText')} formErrors={formErrors}>
        <SubmitForm
          action={`${home}/add`}
          csrf={getCsrfToken(web, c)}
          class="checkout-main"
          submit={say('group.addButton')}
          more={
            <LinkButton href={home} tone="quiet">
              {say('group.back')}
            </LinkButton>
          }
        >
          <Card>
            <div class="fields">
              <MemberFormQuestions view={view} questions={questions} />
            </div>
          </Card>
          {offers.length > 0 ? (
            <Card title={say('group.products')}>
              <div class="options">
                {offers.map((offer) => (
                  <OfferRow view={view} offer={offer} left={left.get(toProductInventoryKey(offer.product.code)) ?? null} />
                ))}
              </div>
            </Card>
          ) : null}
        </SubmitForm>
      </MainColumn>,
    )
  }

  const isAllowed = (at: ManagedGroup) => canManageMembers(at) && findGroupClosedReason(at) === null && countSeatsLeft(at.group) > 0

  const add = async (c: WebContext, at: ManagedGroup, form: FormValues): Promise<Response> => {
    if (!isAllowed(at)) return c.redirect(at.home, 303)
    const { site, group } = at
    const { say } = site.words
    const sent: GetFormValues = (name) => listFieldValues(form, name)
    const { questions, offers } = memberForm(at)
    const bindings = [...questions.map(({ binding }) => binding), ...offers.map(({ product }) => toProductAnswerKey(product.code))]
    const data = readMemberFormAnswers(site, bindings, sent)
    try {
      const members = [{ data }]
      const lookups = await queryDirectoryForMemberImport(
        toGroupManagerScope(createMemberDirectoryContext(web, site), at),
        group.code,
        members,
      )
      const result = await runGroupChange(web, at, 'add_group_member', async (ctx) => {
        const { results } = await importMembers(toGroupManagerScope(ctx, at), { groupCode: group.code, members }, lookups)
        // Registered people have to agree before they join the group, so they are invited. The page does not reveal this.
        if (results[0]?.status.startsWith('existing')) await inviteByEmail(ctx, group.code, data)
        return results[0]
      })
      if (result?.status === 'validation_failed') return await show(c, at, { sent, errors: toMemberFieldErrors(site, result.errors ?? []) })
      return c.redirect(`${at.home}?done=added`, 303)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return show(c, at, { sent, message: error.code === 'limit_exceeded' ? say('group.full') : say('refused.text') })
    }
  }

  const inviteByEmail = (ctx: ManagedGroup['ctx'], groupCode: string, data: Readonly<Record<string, unknown>>) =>
    sendInvites(ctx, { groupCode, emails: [{ email: String(data['@participant.email']), role: 'member' }], resend: true })

  return createEventRouter(web)
    .get(
      PATH,
      withGroupManagerAccess(web, (c, at): Response | Promise<Response> => (isAllowed(at) ? show(c, at) : c.redirect(at.home, 303))),
    )
    .post(PATH, handleGroupManagerPost(web, add))
}
