import type { Child } from 'hono/jsx'
import { requireCompanyOwnsRecord } from '../../../domains/exhibitors/portal/access.ts'
import { readAllotment } from '../../../domains/exhibitors/staff/allotment.ts'
import { listBoothAreas } from '../../../domains/exhibitors/company/booth-areas.ts'
import { listBoothStaff } from '../../../domains/exhibitors/staff/list-staff.ts'
import { quoteStaffPass } from '../../../domains/exhibitors/staff/sell-pass.ts'
import { addBoothStaff } from '../../../domains/staffing/add-staff.ts'
import { changeBoothStaff, inviteBoothStaff, removeBoothStaff } from '../../../domains/staffing/change-staff.ts'
import { email as emailArgument, name as nameArgument } from '../../../kernel/args.ts'
import { AppError, type FieldError } from '../../../kernel/errors.ts'
import { formatMoney, formatNumber } from '../../../kernel/language/format.ts'
import { toMoney } from '../../../kernel/money.ts'
import { Checkbox, ErrorSummary, findFieldError, Form, Input } from '../components/forms.tsx'
import { StatusLabel } from '../components/parts.tsx'
import { createEventRouter, toFormErrors } from '../event/event-layout.tsx'
import type { EventSite } from '../event/event-site.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../web.ts'
import { buildOutcomeNoticePath } from './notices.ts'
import { CountWithTotal, UsageBar, PortalTable, RowMenu, SidebarCard } from './parts.tsx'
import {
  runExhibitorChange,
  EXHIBITOR_PATH,
  withExhibitorManagerAccess,
  isPortalEditable,
  ignoreRefusedChangeError,
  handleExhibitorManagerPost,
  type PortalAccess,
  PortalHeading,
  showPortalPage,
} from './portal-access.tsx'

const PATH = `${EXHIBITOR_PATH}/staff`
const MAX_STAFF = 500

type Member = Awaited<ReturnType<typeof listBoothStaff>>['exhibitors'][number]

/** The actions of a company's manager about one staff member. The last admin of an active company cannot be removed. */
const Manage = ({ at, member, isLastAdmin, csrf }: { at: PortalAccess; member: Member; isLastAdmin: boolean; csrf: string }) => {
  const { say } = at.site.words
  if (isLastAdmin) return <span class="small muted">{say('portal.lastAdmin')}</span>
  const button = (value: string, label: Child) => (
    <button type="submit" class="button small" name="do" value={value}>
      {label}
    </button>
  )
  return (
    <RowMenu
      label={say('portal.manage')}
      about={member.name}
      action={`${at.home}/staff/${member.staffId}`}
      csrf={csrf}
      remove={{ label: say('portal.remove'), name: 'do', value: 'remove' }}
    >
      <div class="row">
        {member.status === 'invited' ? button('invite', say('portal.resend')) : null}
        {member.role === 'admin' ? button('staff', say('portal.makeStaff')) : button('admin', say('portal.makeAdmin'))}
      </div>
      <p class="small muted">{say('portal.removeText')}</p>
      {member.status === 'registered' ? <Checkbox id={`cancel-${member.staffId}`} name="cancel" label={say('portal.alsoCancel')} /> : null}
    </RowMenu>
  )
}

const StaffTable = ({ at, members, csrf }: { at: PortalAccess; members: readonly Member[]; csrf: string }) => {
  const { say } = at.site.words
  const admins = members.filter(({ role }) => role === 'admin')
  const isLastAdmin = ({ role }: Member) => role === 'admin' && admins.length === 1 && at.company.status === 'active'
  return (
    <PortalTable
      caption={say('portal.staff')}
      rows={members}
      lead={{ label: say('portal.name'), name: ({ name }) => name, more: ({ email }) => email }}
      columns={[
        { label: say('portal.role'), cell: ({ role }) => say(`portal.role.${role}`) },
        { label: say('portal.pass'), cell: ({ pass }) => say(`portal.pass.${pass}`) },
        {
          label: say('portal.state'),
          cell: ({ status }) => (
            <StatusLabel tone={status === 'registered' ? 'success' : 'warning'}>
              {say(`portal.staffState.${status as 'invited' | 'registered'}`)}
            </StatusLabel>
          ),
        },
      ]}
      menu={{
        label: say('portal.manage'),
        cell: (member) => (isPortalEditable(at) ? <Manage at={at} member={member} isLastAdmin={isLastAdmin(member)} csrf={csrf} /> : null),
      }}
    />
  )
}

interface Passes {
  used: number
  total: number
  extra: number
  areaM2: number
  /** The price of an additional exhibitor pass; null if the event sells none. */
  price: string | null
}

async function readPasses({ ctx, company, site }: PortalAccess, used: number): Promise<Passes> {
  const { total, extra } = await readAllotment(ctx, company)
  const areas = await listBoothAreas(ctx, company.id)
  const minor = await quoteStaffPass(ctx, company)
  const price = minor === null ? null : formatMoney(site.words.locale, toMoney(minor, site.event.currency))
  return { used, total, extra, areaM2: areas.reduce((sum, { areaM2 }) => sum + areaM2, 0), price }
}

const PassesCard = ({ site, passes }: { site: EventSite; passes: Passes }) => {
  const { say, locale } = site.words
  const { used, total, extra, areaM2, price } = passes
  const { base, perStep, areaStep } = site.config.exhibitorConfig.staffAllotment
  const number = (value: number) => formatNumber(locale, Math.round(value * 100) / 100)
  const text = say('portal.ofUsed', { total })
  return (
    <SidebarCard id="passes" title={say('portal.freePasses')}>
      <CountWithTotal count={used} text={text} />
      <UsageBar used={used} total={total} label={`${used} ${text}`} />
      <p class="small muted">
        {say('portal.allotmentRule', { base, perStep, step: number(areaStep), area: number(areaM2), total: total - extra })}{' '}
        {extra === 0 ? null : `${say('portal.extraPasses', { count: extra })} `}
        {price === null ? null : say('portal.paidPasses', { price })}
      </p>
    </SidebarCard>
  )
}

interface AddFormState {
  values: FormValues
  errors: readonly FieldError[]
}

const NAMES = [
  ['firstName', 'given-name'],
  ['lastName', 'family-name'],
] as const

const AddForm = ({ at, passes, state, csrf }: { at: PortalAccess; passes: Passes; state: AddFormState; csrf: string }) => {
  const { say } = at.site.words
  const isFree = passes.used < passes.total
  if (!isFree && passes.price === null)
    return (
      <SidebarCard id="add" title={say('portal.addColleague')}>
        <p>{say('portal.noMorePasses')}</p>
      </SidebarCard>
    )
  return (
    <SidebarCard id="add" title={say('portal.addColleague')}>
      <ErrorSummary {...(toFormErrors(at.site, state.errors) ?? {})} />
      <Form action={`${at.home}/staff`} csrf={csrf} class="portal-form">
        <input type="hidden" name="pass" value={isFree ? 'free' : 'paid'} />
        {NAMES.map(([name]) => (
          <Input
            name={name}
            label={say(`portal.${name}`)}
            value={state.values[name] ?? ''}
            error={findFieldError(state.errors, name)}
            autocomplete="off"
            maxlength={80}
          />
        ))}
        <Input
          name="email"
          type="email"
          label={say('portal.email')}
          help={say('portal.addHelp')}
          value={state.values['email'] ?? ''}
          error={findFieldError(state.errors, 'email')}
          autocomplete="off"
        />
        <button type="submit" class="button primary wide">
          {isFree ? say('portal.addFree') : say('portal.addPaid', { price: passes.price! })}
        </button>
      </Form>
    </SidebarCard>
  )
}

/** `…/exhibitor/staff`: the people who work at the booth, and their passes. */
export function portalStaffPages(web: WebServices) {
  const show = async (c: WebContext, at: PortalAccess, state: AddFormState = { values: {}, errors: [] }): Promise<Response> => {
    const { say } = at.site.words
    const { exhibitors, allotment } = await listBoothStaff(at.ctx, { companyId: at.company.id, limit: MAX_STAFF })
    const passes = await readPasses(at, allotment!.used)
    const csrf = getCsrfToken(web, c)
    return showPortalPage(
      web,
      c,
      at,
      { title: say('portal.staff'), section: 'staff', status: state.errors.length > 0 ? 400 : 200 },
      <>
        <PortalHeading title={say('portal.staff')} text={say('portal.staffText')} />
        <div class="split">
          <StaffTable at={at} members={exhibitors} csrf={csrf} />
          <div class="stack-5">
            <PassesCard site={at.site} passes={passes} />
            {isPortalEditable(at) ? <AddForm at={at} passes={passes} state={state} csrf={csrf} /> : null}
          </div>
        </div>
      </>,
    )
  }

  const add = async (c: WebContext, at: PortalAccess, values: FormValues): Promise<Response> => {
    const { say } = at.site.words
    const names = NAMES.map(([field]) => nameArgument(80).safeParse((values[field] ?? '').trim()))
    const email = emailArgument().safeParse((values['email'] ?? '').trim())
    const errors = [
      ...NAMES.flatMap(([path], index) => (names[index]!.success ? [] : [{ path, message: say('portal.enterName') }])),
      ...(email.success ? [] : [{ path: 'email', message: say('portal.enterEmail') }]),
    ]
    if (errors.length > 0) return show(c, at, { values, errors })
    const person = { firstName: names[0]!.data!, lastName: names[1]!.data!, email: email.data!, role: 'staff' as const }
    const pass = values['pass'] === 'paid' ? 'paid' : 'free'
    const result = await runExhibitorChange(web, at, 'add_own_staff', async (ctx) => {
      const { exhibitors } = await addBoothStaff(ctx, { companyId: at.company.id, people: [person], pass })
      const [added] = exhibitors
      if (added!.result === 'created') await inviteBoothStaff(ctx, { staffIds: [added!.staffId] })
      return added!.result
    }).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'conflict') return 'conflict' as const
      return ignoreRefusedChangeError(error)
    })
    if (result === null) return c.redirect(buildOutcomeNoticePath(`${at.home}/staff`, 'refused'), 303)
    if (result === 'created') return c.redirect(buildOutcomeNoticePath(`${at.home}/staff`, 'added'), 303)
    const message = say(result === 'conflict' ? 'portal.otherCompany' : 'portal.alreadyStaff')
    return show(c, at, { values, errors: [{ path: 'email', message }] })
  }

  const change = async (c: WebContext, at: PortalAccess, form: FormValues): Promise<Response> => {
    const staffId = c.req.param('id') ?? ''
    const asked = form['do']
    const done = await runExhibitorChange(web, at, 'change_own_staff', async (ctx) => {
      await requireCompanyOwnsRecord(ctx, 'exhibitor_staff', staffId, at.company.id)
      if (asked === 'remove') await removeBoothStaff(ctx, { staffId, cancelRegistration: form['cancel'] !== undefined })
      else if (asked === 'invite') await inviteBoothStaff(ctx, { staffIds: [staffId], resend: true })
      else if (asked === 'admin' || asked === 'staff') await changeBoothStaff(ctx, { staffId, role: asked })
      return asked === 'remove' ? ('removed' as const) : asked === 'invite' ? ('invited' as const) : ('saved' as const)
    }).catch(ignoreRefusedChangeError)
    return c.redirect(buildOutcomeNoticePath(`${at.home}/staff`, done ?? 'refused'), 303)
  }

  return createEventRouter(web)
    .get(
      PATH,
      withExhibitorManagerAccess(web, (c, at) => show(c, at)),
    )
    .post(PATH, handleExhibitorManagerPost(web, add))
    .post(`${PATH}/:id`, handleExhibitorManagerPost(web, change))
}
