import type { GetFormValues } from '../../../domains/checkout/sent-page.ts'
import { countSeatsLeft } from '../../../domains/groups/groups.ts'
import { importMembers } from '../../../domains/groups/import-members.ts'
import { lookUpImportedMembers } from '../../../domains/groups/look-up-members.ts'
import { toPersonScope, canManageMembers } from '../../../domains/groups/managers.ts'
import { listMemberColumns, listOfferedProducts } from '../../../domains/groups/member-columns.ts'
import { sendInvites } from '../../../domains/groups/send-invites.ts'
import { getFlow } from '../../../domains/registration/event-snapshot.ts'
import { AppError, type FieldError } from '../../../kernel/errors.ts'
import { formatMoney } from '../../../kernel/language/format.ts'
import { SubmitForm } from '../components/form-page.tsx'
import { findFieldError, Input, LinkButton } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import { MainColumn, newEventRouter, toFormErrors } from '../event/event-layout.tsx'
import { listFieldValues } from '../form-values.ts'
import { directoryContext } from '../register/open-registration.ts'
import { csrfFor, type FormValues, type WebServices, type WebContext } from '../web.ts'
import {
  GROUP_PATH,
  type ManagedGroup,
  changeGroup,
  groupClosedReason,
  admitGroupManager,
  showGroupPage,
  onManagerPost,
} from './group-access.tsx'
import { readAnswers, buildQuestionView, toFieldErrors, Questions } from './questions.tsx'

const PATH = `${GROUP_PATH}/add`

/** The form for a new member: the questions of the group's flow and its products. Members book their rooms themselves. */
function memberForm({ site, group }: ManagedGroup) {
  const flow = getFlow(site, group.flow_slug)
  const columns = listMemberColumns(site, flow, group)
  return {
    questions: columns.filter(({ binding }) => /^@(participant|custom)\./.test(binding)),
    offers: listOfferedProducts(site, flow, group.tags).filter(({ amount }) => amount !== null),
  }
}

interface AddFormState {
  sent?: GetFormValues
  errors?: readonly FieldError[]
  message?: string
}

/** `…/group/<code>/add`: registers a new member. */
export function groupAddPages(web: WebServices) {
  const show = (c: WebContext, at: ManagedGroup, { sent, errors = [], message }: AddFormState = {}) => {
    const { site, home } = at
    const { say, locale } = site.words
    const { questions, offers } = memberForm(at)
    const view = buildQuestionView(site, { errors, ...(sent ? { sent } : {}) })
    const formErrors = toFormErrors(site, errors, message)
    return showGroupPage(
      web,
      c,
      at,
      { title: say('group.add'), status: formErrors ? 400 : 200 },
      <MainColumn title={say('group.add')} text={say('group.addText')} formErrors={formErrors}>
        <SubmitForm
          action={`${home}/add`}
          csrf={csrfFor(web, c)}
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
        </SubmitForm>
      </MainColumn>,
    )
  }

  const isAllowed = (at: ManagedGroup) => canManageMembers(at) && groupClosedReason(at) === null && countSeatsLeft(at.group) > 0

  const add = async (c: WebContext, at: ManagedGroup, form: FormValues): Promise<Response> => {
    if (!isAllowed(at)) return c.redirect(at.home, 303)
    const { site, group } = at
    const { say } = site.words
    const sent: GetFormValues = (name) => listFieldValues(form, name)
    const { questions, offers } = memberForm(at)
    const bindings = [...questions.map(({ binding }) => binding), ...offers.map(({ product }) => `@product.${product.code}`)]
    const data = readAnswers(site, bindings, sent)
    try {
      const members = [{ data }]
      const lookups = await lookUpImportedMembers(toPersonScope(directoryContext(web, site), at), group.code, members)
      const result = await changeGroup(web, at, 'add_group_member', async (ctx) => {
        const { results } = await importMembers(toPersonScope(ctx, at), { groupCode: group.code, members }, lookups)
        // A registered person has to agree before they join, so they are invited. The page does not reveal whether the person was added or
        // invited.
        if (results[0]?.status.startsWith('existing')) await inviteByEmail(ctx, group.code, data)
        return results[0]
      })
      if (result?.status === 'validation_failed') return await show(c, at, { sent, errors: toFieldErrors(site, result.errors ?? []) })
      return c.redirect(`${at.home}?done=added`, 303)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return show(c, at, { sent, message: error.code === 'limit_exceeded' ? say('group.full') : say('refused.text') })
    }
  }

  const inviteByEmail = (ctx: ManagedGroup['ctx'], groupCode: string, data: Readonly<Record<string, unknown>>) =>
    sendInvites(ctx, { groupCode, emails: [{ email: String(data['@participant.email']), role: 'member' }], resend: true })

  return newEventRouter(web)
    .get(
      PATH,
      admitGroupManager(web, (c, at): Response | Promise<Response> => (isAllowed(at) ? show(c, at) : c.redirect(at.home, 303))),
    )
    .post(PATH, onManagerPost(web, add))
}
