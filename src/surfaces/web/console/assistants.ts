/** Instructions to connect one assistant: the steps, and a text to copy if there is one. */
export interface AssistantInstructions {
  id: string
  name: string
  /** Whether the assistant calls from its vendor's servers, so that it cannot reach localhost. */
  isHosted?: boolean
  steps: string
  /** A link that opens the assistant's app with the connection settings filled in. */
  link?: { href: string; label: string }
  copy?: { where: string; text: string }
}

const json = (value: unknown) => JSON.stringify(value, null, 2)

/**
 * Lists the assistants with their instructions. `name` is the server's name in the assistant. Each preset needs a name of its own, so that
 * several presets can be connected.
 */
export function listAssistantInstructions(url: string, name: string): AssistantInstructions[] {
  return [
    {
      id: 'claude',
      name: 'Claude (claude.ai and Claude Desktop)',
      isHosted: true,
      steps: 'Open Settings, then Connectors. Choose “Add custom connector”, paste the address above, add it, and choose “Connect”.',
    },
    {
      id: 'chatgpt',
      name: 'ChatGPT',
      isHosted: true,
      steps:
        'Open Settings, then Apps, then Advanced settings, and turn on Developer mode. Choose “Create app”, paste the address above as the MCP server URL, and choose OAuth as authentication.',
    },
    {
      id: 'claude-code',
      name: 'Claude Code',
      steps: 'Run this command, start Claude Code, and type /mcp to sign in.',
      copy: { where: 'Terminal', text: `claude mcp add --transport http ${name} "${url}"` },
    },
    {
      id: 'vscode',
      name: 'VS Code (GitHub Copilot)',
      steps: 'Use the button, or add this to .vscode/mcp.json in your folder. VS Code asks you to sign in when it starts the server.',
      link: { href: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, type: 'http', url }))}`, label: 'Add to VS Code' },
      copy: { where: '.vscode/mcp.json', text: json({ servers: { [name]: { type: 'http', url } } }) },
    },
    {
      id: 'cursor',
      name: 'Cursor',
      steps: 'Use the button, or add this to ~/.cursor/mcp.json. Then choose “Needs login” next to it in the settings.',
      link: {
        href: `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(name)}&config=${encodeURIComponent(Buffer.from(JSON.stringify({ url })).toString('base64'))}`,
        label: 'Add to Cursor',
      },
      copy: { where: '~/.cursor/mcp.json', text: json({ mcpServers: { [name]: { url } } }) },
    },
    {
      id: 'codex',
      name: 'Codex',
      steps: 'Run both commands. The second one opens the sign-in page.',
      copy: { where: 'Terminal', text: `codex mcp add ${name} --url "${url}"\ncodex mcp login ${name}` },
    },
    {
      id: 'gemini',
      name: 'Gemini CLI',
      steps: `Run this command, start Gemini CLI, and type /mcp auth ${name} to sign in.`,
      copy: { where: 'Terminal', text: `gemini mcp add --scope user --transport http ${name} "${url}"` },
    },
    {
      id: 'windsurf',
      name: 'Windsurf',
      steps: 'Add this to ~/.codeium/windsurf/mcp_config.json and reload the servers in Cascade.',
      copy: { where: '~/.codeium/windsurf/mcp_config.json', text: json({ mcpServers: { [name]: { serverUrl: url } } }) },
    },
    {
      id: 'stdio',
      name: 'Apps that only support local servers',
      steps:
        'The open-source bridge mcp-remote forwards all requests and opens the sign-in page in your browser. For Claude Desktop, add this to claude_desktop_config.json.',
      copy: { where: 'Configuration', text: json({ mcpServers: { [name]: { command: 'npx', args: ['-y', 'mcp-remote', url] } } }) },
    },
  ]
}
