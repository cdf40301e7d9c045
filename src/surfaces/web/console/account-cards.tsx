import type { ApiToken } from '../../../domains/access/api-tokens.ts'
import type { ClientAccount } from '../../../domains/access/client-accounts.ts'
import { Actions, Button, Form, Select } from '../components/forms.tsx'
import { Badge, Card, Copy, Notice, Table, Time } from '../components/parts.tsx'
import type { Refused } from '../fields.ts'
import type { FormValues } from '../web.ts'
import { AccountFields } from './account-form.tsx'

interface View {
  account: ClientAccount
  csrf: string
  here: string
}

/** Where the token is sent, so that the first call works. */
const endpointOf = (account: ClientAccount) => (account.purpose === 'rest' ? '/v1' : '/api/mcp/participant')

export const NewToken = ({ token, baseUrl, account }: { token: string; baseUrl: string; account: ClientAccount }) => (
  <Card title="The new token">
    <div class="stack">
      <Notice tone="warning">Copy it now: it is shown only this once, and nobody can look it up later.</Notice>
      <Copy id="new-token" text={token} />
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

export const TokensCard = ({ csrf, here, tokens, mayChange }: View & { tokens: ApiToken[]; mayChange: boolean }) => (
  <Card title="Tokens" pad={tokens.length === 0}>
    {tokens.length === 0 ? (
      <p class="muted">No token was issued yet, so nothing can use this account.</p>
    ) : (
      <Table
        caption="Tokens"
        rows={tokens}
        columns={[
          { label: 'Token', lead: true, cell: (t) => <code>lak_…{t.hint}</code> },
          {
            label: 'State',
            cell: (t) => {
              const tone = TONES[t.state]
              return <Badge {...(tone ? { tone } : {})}>{t.state}</Badge>
            },
          },
          { label: 'Issued', cell: (t) => <Time at={t.createdAt} /> },
          { label: 'Last used', cell: (t) => <Time at={t.lastUsedAt} /> },
          { label: 'Expires', cell: (t) => <Time at={t.expiresAt} /> },
          ...(mayChange
            ? [
                {
                  label: '',
                  cell: (t: ApiToken) =>
                    t.state === 'live' ? (
                      <Form action={`${here}/tokens/revoke`} csrf={csrf} class="actions">
                        <Button small tone="danger" name="token" value={t.id}>
                          Revoke<span class="hidden"> the token ending in {t.hint}</span>
                        </Button>
                      </Form>
                    ) : null,
                },
              ]
            : []),
        ]}
      />
    )}
  </Card>
)

export const IssueCard = ({ csrf, here }: View) => (
  <Card title="Issue a token">
    <Form action={`${here}/tokens`} csrf={csrf} class="stack">
      <Select
        name="lifetime"
        label="Works for"
        value="365"
        options={[
          { value: '30', label: '30 days' },
          { value: '90', label: '90 days' },
          { value: '365', label: '1 year' },
          { value: 'never', label: 'Until it is revoked' },
        ]}
      />
      <Actions>
        <Button tone="primary">Issue token</Button>
        <span class="muted">It is shown once, on the next page.</span>
      </Actions>
    </Form>
  </Card>
)

export const EditCard = ({ csrf, here, form, refused }: View & { form: FormValues; refused: Refused }) => (
  <Card title="Change">
    <Form action={here} csrf={csrf} class="stack">
      <AccountFields form={form} refused={refused} />
      <Actions>
        <Button tone="primary">Save account</Button>
      </Actions>
    </Form>
  </Card>
)

export const SuspensionCard = ({ account, csrf, here, mayChange }: View & { mayChange: boolean }) =>
  account.otpSuspendedAt ? (
    <Card title="Sign-in codes are suspended">
      <div class="row-between">
        <p class="prose">
          Since <Time at={account.otpSuspendedAt} /> this account sends no sign-in codes
          {account.otpSuspendedReason ? `: ${account.otpSuspendedReason}` : ''}. Talk to whoever runs it, then lift the suspension.
        </p>
        {mayChange ? (
          <Form action={`${here}/lift`} csrf={csrf}>
            <Button tone="primary">Lift the suspension</Button>
          </Form>
        ) : null}
      </div>
    </Card>
  ) : null

export const ActiveCard = ({ account, csrf, here }: View) => {
  const tokens = account.liveTokens === 1 ? '1 live token' : `${account.liveTokens} live tokens`
  return (
    <Card title={account.active ? 'Deactivate' : 'Deactivated'}>
      <div class="row-between">
        <p class="prose">
          {account.active
            ? `${tokens} and every session made with it stop from the next request. It can be undone here.`
            : `Its ${tokens} are refused. Activated again, they work as before.`}
        </p>
        <Form action={`${here}/active`} csrf={csrf}>
          <Button tone={account.active ? 'danger' : 'primary'} name="active" value={account.active ? 'no' : 'yes'}>
            {account.active ? `Deactivate ${account.name}` : `Activate ${account.name}`}
          </Button>
        </Form>
      </div>
    </Card>
  )
}
