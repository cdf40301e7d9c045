import { decryptActivationCode } from '../../../domains/exhibitors/activation-codes.ts'
import { rotateActivationCode } from '../../../domains/exhibitors/company/edit-company.ts'
import { listDevices, revokeDevices } from '../../../domains/exhibitors/devices/manage-devices.ts'
import { hasSdkLicence } from '../../../domains/exhibitors/licences.ts'
import { requireCompanyOwnsRecord } from '../../../domains/exhibitors/portal/access.ts'
import { formatDayAndMonth, formatNumber } from '../../../kernel/language/format.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import { Checkbox, Form } from '../components/forms.tsx'
import { Card, DescriptionList, StatusLabel } from '../components/parts.tsx'
import { QrCode } from '../components/qr.tsx'
import { ContactLink } from '../event/contact-link.tsx'
import { createEventRouter } from '../event/event-layout.tsx'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../web.ts'
import { buildOutcomeNoticePath } from './notices.ts'
import { PortalTable, RowMenu, SidebarCard } from './parts.tsx'
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
import { formatRelativeDayAndTime } from './times.ts'

const PATH = `${EXHIBITOR_PATH}/devices`
const MAX_DEVICES = 500

type Device = Awaited<ReturnType<typeof listDevices>>['devices'][number]

const PLATFORM_NAMES = new Map([
  ['android', 'Android'],
  ['ios', 'iOS'],
  ['web', 'Web'],
])

/** Returns the name of a scanner's platform. Exhibitors can use scanning apps of their own, so unknown platforms are shown as sent. */
const formatPlatform = (platform: string) => PLATFORM_NAMES.get(platform.toLowerCase()) ?? platform

const DeviceTable = ({ at, devices, csrf }: { at: PortalAccess; devices: readonly Device[]; csrf: string }) => {
  const { site } = at
  const { say, locale } = site.words
  if (devices.length === 0)
    return (
      <Card>
        <p>{say('portal.noDevices')}</p>
      </Card>
    )
  const day = (instant: string) => formatDayAndMonth(locale, toDayInZone(site.facts.timezone, new Date(instant)))
  return (
    <PortalTable
      caption={say('portal.devices')}
      rows={devices}
      lead={{
        label: say('portal.device'),
        name: ({ name }) => name,
        more: ({ platform, activatedAt }) => `${formatPlatform(platform)} · ${say('portal.activated', { day: day(activatedAt) })}`,
      }}
      columns={[
        { label: say('portal.lastSeen'), cell: ({ lastSeenAt }) => formatRelativeDayAndTime(site, new Date(lastSeenAt)) },
        { label: say('portal.scans'), number: true, cell: ({ captures }) => formatNumber(locale, captures) },
        {
          label: say('portal.state'),
          cell: ({ status }) => (
            <StatusLabel tone={status === 'active' ? 'success' : undefined}>{say(`portal.deviceState.${status}`)}</StatusLabel>
          ),
        },
      ]}
      menu={{
        label: say('portal.remove'),
        cell: ({ id, name, status }) =>
          status === 'active' && isPortalEditable(at) ? (
            <RowMenu
              label={say('portal.remove')}
              about={name}
              action={`${at.home}/devices/${id}`}
              csrf={csrf}
              remove={{ label: say('portal.remove') }}
            >
              <p class="small muted">{say('portal.removeDevice')}</p>
            </RowMenu>
          ) : null,
      }}
    />
  )
}

interface ActivationCodeProps {
  at: PortalAccess
  active: number
  hasSdk: boolean
  scanner: string
  csrf: string
}

const ActivationCode = ({ at, active, hasSdk, scanner, csrf }: ActivationCodeProps) => {
  const { say } = at.site.words
  return (
    <SidebarCard id="activation-code" title={say('portal.activationCode')}>
      <p class="code-shown" translate="no">
        {decryptActivationCode(at.ctx.keys, at.company).reveal()}
      </p>
      <p class="small muted">{say('portal.activationHelp')}</p>
      <div class="scanner-link">
        <QrCode text={scanner} label={say('portal.scannerCode')} />
        <a class="button" href={scanner}>
          {say('portal.openScanner')}
        </a>
      </div>
      {isPortalEditable(at) ? (
        <details>
          <summary>{say('portal.replaceCode')}</summary>
          <Form action={`${at.home}/devices`} csrf={csrf} class="portal-form">
            <p class="small muted">{say('portal.replaceText', { count: active })}</p>
            <Checkbox name="confirm" label={say('portal.replaceConfirm')} />
            <div>
              <button type="submit" class="button danger">
                {say('portal.replaceCode')}
              </button>
            </div>
          </Form>
        </details>
      ) : null}
      {hasSdk ? <p class="small muted">{say('portal.testValues')}</p> : null}
    </SidebarCard>
  )
}

/** `…/exhibitor/devices`: scanners, the activation code and licences. */
export function portalDevicePages(web: WebServices) {
  const page = async (c: WebContext, at: PortalAccess): Promise<Response> => {
    const { ctx, company, site } = at
    const { say } = site.words
    const { devices, seats } = await listDevices(ctx, { companyId: company.id, limit: MAX_DEVICES })
    const hasSdk = await hasSdkLicence(ctx, company.id)
    const csrf = getCsrfToken(web, c)
    return showPortalPage(
      web,
      c,
      at,
      { title: say('portal.devices'), section: 'devices' },
      <>
        <PortalHeading title={say('portal.devices')} text={say('portal.devicesText', { company: company.name })} />
        <div class="split">
          <DeviceTable at={at} devices={devices} csrf={csrf} />
          <div class="stack-5">
            <ActivationCode
              at={at}
              active={seats.used}
              hasSdk={hasSdk}
              scanner={`${web.services.baseUrl}/scan?${new URLSearchParams({ tenantCode: site.tenantCode, clientCode: site.client.code, eventCode: site.event.code }).toString()}`}
              csrf={csrf}
            />
            <SidebarCard id="licences" title={say('portal.licences')}>
              <DescriptionList
                rows={[
                  [say('portal.scannerApp'), seats.total > 0 ? say('portal.seats', { count: seats.total }) : say('portal.notOrdered')],
                  [say('portal.ownApp'), say(hasSdk ? 'portal.included' : 'portal.notOrdered')],
                ]}
              />
              {seats.total > 0 && hasSdk ? null : (
                <p class="small muted">
                  {say('portal.orderLicences')} <ContactLink site={site} />
                </p>
              )}
            </SidebarCard>
          </div>
        </div>
      </>,
    )
  }

  const rotate = async (c: WebContext, at: PortalAccess, form: FormValues): Promise<Response> => {
    if (form['confirm'] === undefined) return c.redirect(buildOutcomeNoticePath(`${at.home}/devices`, 'confirm'), 303)
    const done = await runExhibitorChange(web, at, 'rotate_own_code', (ctx) => rotateActivationCode(ctx, at.company.id)).catch(
      ignoreRefusedChangeError,
    )
    return c.redirect(buildOutcomeNoticePath(`${at.home}/devices`, done ? 'codeReplaced' : 'refused'), 303)
  }

  const remove = async (c: WebContext, at: PortalAccess): Promise<Response> => {
    const deviceId = c.req.param('id') ?? ''
    const done = await runExhibitorChange(web, at, 'remove_own_device', async (ctx) => {
      await requireCompanyOwnsRecord(ctx, 'lead_devices', deviceId, at.company.id)
      return revokeDevices(ctx, [deviceId])
    }).catch(ignoreRefusedChangeError)
    return c.redirect(buildOutcomeNoticePath(`${at.home}/devices`, done ? 'deviceRemoved' : 'refused'), 303)
  }

  return createEventRouter(web)
    .get(PATH, withExhibitorManagerAccess(web, page))
    .post(PATH, handleExhibitorManagerPost(web, rotate))
    .post(`${PATH}/:id`, handleExhibitorManagerPost(web, remove))
}
