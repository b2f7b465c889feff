/** `lineup demo`: the demo agent. */
import type { AddCommand } from '../command-line.ts';
import { demo } from '../demo.ts';
import { LineUpAgent } from '../lineup-agent.ts';
import { agentLog, runAgent } from '../run-agent.ts';

export const addDemo: AddCommand = (program, line) => {
  program
    .command('demo')
    .summary('the demo agent: shows what an agent can do')
    .description('Runs the demo agent until Ctrl-C. No model stands behind it: it shows on your phone what an agent can do.')
    .addHelpText(
      'after',
      '\nExamples:\n  $ lineup demo\n  $ LINEUP_RELAY_URL=https://relay.example LINEUP_AGENT_TOKEN="$(cat token)" lineup demo --state /var/lib/lineup',
    )
    .action(async () => {
      const { relay, token, state, conversationId } = await line.setup();
      const agent = new LineUpAgent({
        relay,
        token,
        state,
        name: 'Demo',
        agent: 'LineUp demo',
        log: agentLog(line),
        ...(conversationId !== undefined && { conversationId }),
      });
      demo(agent);
      const started = () => line.terminal.result({ event: 'started', agentId: agent.id }, `lineup: the demo agent is ${agent.id}`);
      await runAgent(agent, { started });
    });
};
