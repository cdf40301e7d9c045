import { PERMISSIONS, permissionsOf, ROLES, type Role } from '../../../kernel/permissions.ts'

/** What each role is for, in the words of the people who hold it. */
const PURPOSES: Record<Role, string> = {
  admin: 'everything, including users, API accounts and settings',
  manager: 'everything but users, API accounts and settings',
  registrar: 'registrations, on site, sessions',
  housing: 'hotels and room blocks',
  exhibits: 'exhibitors and the show floor',
  marketer: 'mails, campaigns and design',
  program: 'sessions and speakers',
  sourcing: 'venues, bids and contracts',
  finance: 'money, reports',
  onsite: 'check-in and badges',
  analyst: 'sees everything but personal details, changes nothing',
}

export const ROLE_OPTIONS = ROLES.map((role) => ({ value: role, label: `${role}: ${PURPOSES[role]}` }))

/** Every permission of every role, from the one place that decides them. */
export const RolesTable = () => (
  <div class="table-wrap" tabindex={0} role="region" aria-label="What each role may do">
    <table class="table matrix">
      <caption class="hidden">What each role may do</caption>
      <thead>
        <tr>
          <th scope="col">Permission</th>
          {ROLES.map((role) => (
            <th scope="col">{role}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {PERMISSIONS.map((permission) => (
          <tr>
            <th scope="row">
              <code>{permission}</code>
            </th>
            {ROLES.map((role) =>
              permissionsOf([role]).has(permission) ? (
                <td>✓</td>
              ) : (
                <td class="muted">
                  <span aria-hidden="true">·</span>
                  <span class="hidden">no</span>
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
