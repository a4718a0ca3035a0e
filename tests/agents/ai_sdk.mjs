// An agent loop of the Vercel AI SDK with one tool: node ai_sdk.mjs (anthropic|responses|chat) BASE_URL
import { execSync } from "node:child_process";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";

const [, , client, url] = process.argv;
const settings = { baseURL: `${url}/v1`, apiKey: "none" };
const openai = createOpenAI(settings);
const models = {
  anthropic: () => createAnthropic(settings)("claude-opus-4-6"),
  responses: () => openai.responses("gpt-5.2"),
  chat: () => openai.chat("gpt-5.2"),
};
const run = tool({
  description: "Runs a command in a shell.",
  inputSchema: z.object({ command: z.string() }),
  execute: async ({ command }) => execSync(command).toString(),
});
const asked = {
  model: models[client](),
  prompt: "Count the apples.",
  tools: { run },
  stopWhen: stepCountIs(5),
  providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 2000 } }, openai: { reasoningSummary: "auto" } },
};
const whole = await generateText(asked);
const streamed = streamText(asked);
console.log(JSON.stringify({ whole: whole.text, streamed: await streamed.text, steps: whole.steps.length }));
