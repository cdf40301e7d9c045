import type { ApiToken } from '../../../domains/access/api-tokens.ts'
import type { ClientApiAccount } from '../../../domains/access/client-accounts.ts'
import { ActionCard, FormCard } from '../components/form-page.tsx'
import { Select } from '../components/forms.tsx'
import { buildActionColumns, ListCard } from '../components/list-page.tsx'
import { StatusDot, Card, CopyableText, Notice, TimestampText } from '../components/parts.tsx'
import type { FormErrors } from '../fields.ts'
import type { FormValues } from '../web.ts'
import { ApiAccountFields } from './account-form.tsx'

interface AccountCardProps {
  account: ClientApiAccount
  csrf: string
  here: string
}

/** Returns the endpoint that accepts the tokens of an API account. */
const endpointOf = (account: ClientApiAccount) => (account.purpose === 'rest' ? '/v1' : '/api/mcp/participant')

export const NewTokenCard = ({ token, baseUrl, account }: { token: string; baseUrl: string; account: ClientApiAccount }) => (
  <Card title="Your new token">
    <div class="stack">
      <Notice tone="warning">Copy this token now. You will not be able to see it again.</Notice>
      <CopyableText id="new-token" text={token} />
      <p class="muted">
        Send it as <code>Authorization: Bearer …</code> to{' '}
        <code>
          {baseUrl}
          {endpointOf(account)}
        </code>
        .
      </p>
    </div>
  </Card>
)

const TONES = { live: 'success', expired: 'warning', revoked: undefined } as const

export const TokensCard = ({ csrf, here, tokens, mayChange }: AccountCardProps & { tokens: ApiToken[]; mayChange: boolean }) => (
  <ListCard
    title="Tokens"
    caption="Tokens"
    empty="No tokens yet. Issue a token to use this account."
    rows={tokens}
    columns={[
      { label: 'Token', lead: true, cell: (t) => <code>lak_…{t.hint}</code> },
      { label: 'Status', cell: (t) => <StatusDot tone={TONES[t.state]}>{t.state === 'live' ? 'active' : t.state}</StatusDot> },
      { label: 'Issued', cell: (t) => <TimestampText at={t.createdAt} /> },
      { label: 'Last used', cell: (t) => <TimestampText at={t.lastUsedAt} /> },
      { label: 'Expires', cell: (t) => <TimestampText at={t.expiresAt} /> },
      ...buildActionColumns<ApiToken>(mayChange, (t) =>
        t.state === 'live'
          ? {
              action: `${here}/tokens/revoke`,
              csrf,
              label: 'Revoke',
              about: `the token ending in ${t.hint}`,
              hidden: { token: t.id },
              danger: true,
            }
          : null,
      ),
    ]}
  />
)

export const IssueTokenCard = ({ csrf, here }: AccountCardProps) => (
  <FormCard
    title="Issue a token"
    action={`${here}/tokens`}
    csrf={csrf}
    submit="Issue token"
    more={<span class="muted">The token is shown only once, on the next page.</span>}
  >
    <Select
      name="lifetime"
      label="Valid for"
      value="365"
      options={[
        { value: '30', label: '30 days' },
        { value: '90', label: '90 days' },
        { value: '365', label: '1 year' },
        { value: 'never', label: 'Until revoked' },
      ]}
    />
  </FormCard>
)

export const EditAccountCard = ({
  csrf,
  here,
  form,
  formErrors,
}: AccountCardProps & { form: FormValues; formErrors: FormErrors | null }) => (
  <FormCard title="Edit account" action={here} csrf={csrf} submit="Save account" tone="plain">
    <ApiAccountFields form={form} formErrors={formErrors} />
  </FormCard>
)

export const SuspensionCard = ({ account, csrf, here, mayChange }: AccountCardProps & { mayChange: boolean }) =>
  account.otpSuspendedAt ? (
    <ActionCard
      title="Sign-in codes are suspended"
      text={
        <>
          Since <TimestampText at={account.otpSuspendedAt} /> this account sends no sign-in codes
          {account.otpSuspendedReason ? `: ${account.otpSuspendedReason}` : ''}. Contact the operator of the account, then lift the
          suspension.
        </>
      }
      allowed={mayChange}
      action={`${here}/lift`}
      csrf={csrf}
      submit="Lift suspension"
    />
  ) : null

export const AccountActivationCard = ({ account: { active, name, liveTokens }, csrf, here }: AccountCardProps) => {
  const tokens = liveTokens === 1 ? '1 active token' : `${liveTokens} active tokens`
  return (
    <ActionCard
      title={active ? 'Deactivate' : 'Deactivated'}
      text={
        active
          ? `${tokens} and all sessions of this account stop working immediately. You can activate the account again.`
          : `${tokens} of this account do not work. Activate the account to use them again.`
      }
      action={`${here}/active`}
      csrf={csrf}
      submit={active ? `Deactivate ${name}` : `Activate ${name}`}
      submitAs={{ name: 'active', value: active ? 'no' : 'yes' }}
      tone={active ? 'danger' : 'primary'}
    />
  )
}
