// The search takes a rule's id as one word. The theme's worker ends a word of a question at a hyphen, wherever its index
// does, and takes the last word for the beginning of others: TUL-4 would find TUL-43. The worker reads a question twice,
// so that the hyphen is escaped twice; ^1 is a word that is complete.

const RULE = /(?<![\w-])[A-Za-z][A-Za-z0-9]{2}-\d+[a-z]?(?![\w-])/g;
const QUESTION = 2; // the type of such a message

const { postMessage } = Worker.prototype;
Worker.prototype.postMessage = function (message, ...rest) {
  const asks = message?.type === QUESTION && typeof message.data === "string";
  const sent = asks ? { ...message, data: message.data.replace(RULE, (id) => `${id.replace("-", "\\\\\\-")}^1`) } : message;
  return postMessage.call(this, sent, ...rest);
};
