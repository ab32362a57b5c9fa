// A game whose page's address carries a token: what it says is printed, as JSON, a line each.
const [client] = process.argv.slice(2);
const { Playhead } = await import(client);

class Wire {
  readyState = 1;
  bufferedAmount = 0;
  constructor() {
    setTimeout(() => this.onopen());
  }
  send(text) {
    const { sequence, ask } = JSON.parse(text);
    const answers = { hello: { is: "welcome", origin: "game#1" } };
    if (sequence) {
      const answer = answers[ask.do] ?? { is: "done" };
      setTimeout(() => this.onmessage({ data: JSON.stringify({ sequence, answer }) }));
    } else console.log(JSON.stringify(ask));
  }
  close() {}
}

const game = new Playhead("ws://127.0.0.1:1/?token=SECRET", {
  WebSocket: Wire,
  on: {
    async recording() {
      const page = "export const say = (game) => { game.log('a line'); game.check(false, 'wrong');"
        + " game.traceState(1, { machine: 'm', source: 'a', target: 'b', won: 'c' }); };";
      const { writeFileSync } = await import("node:fs");
      writeFileSync("page.mjs", page);
      const { say } = await import(`file://${process.cwd()}/page.mjs?gateway=token%3DSECRET#SECRET`);
      say(game);
      game.close();
    },
  },
});
