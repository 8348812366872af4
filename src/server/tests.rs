//! The protocol, spoken over a pipe as a client speaks it: JSON, line by line.

#![expect(clippy::disallowed_methods, reason = "tests make folders and servers of their own")]

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf,
};

use super::*;
use crate::room::RoomSettings;
use crate::runtime::Cache;

struct Client {
    lines: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    close: watch::Sender<bool>,
    server: tokio::task::JoinHandle<()>,
    next: u64,
    modern: bool,
    folder: TempDir,
}

impl Client {
    async fn start(modern: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        std::fs::create_dir(&data).unwrap();
        std::fs::write(data.join("people.csv"), "name,age\nAda,36\nAlan,41\nGrace,85\n").unwrap();
        let cache = Cache::locate(Some(folder.path().join("no-cache"))).unwrap();
        let mut settings = RoomSettings::new(folder.path().join("home"), cache);
        settings.data.push(data);
        let (close, closing) = watch::channel(false);
        let server = Server::new(Room::new(settings), closing);
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let server = tokio::spawn(async move {
            let running = rmcp::ServiceExt::serve(server, theirs).await.unwrap();
            running.waiting().await.unwrap();
        });
        let (reader, writer) = tokio::io::split(ours);
        let lines = BufReader::new(reader).lines();
        let mut client = Self { lines, writer, close, server, next: 0, modern, folder };
        if !modern {
            let hello = client
                .ask(
                    "initialize",
                    json!({"protocolVersion": "2025-11-25", "capabilities": {},
                           "clientInfo": {"name": "test", "version": "1"}}),
                )
                .await;
            assert_eq!(hello["result"]["protocolVersion"], "2025-11-25", "{hello}");
            client.say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        }
        client
    }

    async fn say(&mut self, message: Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn ask(&mut self, method: &str, mut params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        if self.modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        self.say(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        loop {
            let line = self.lines.next_line().await.unwrap().unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return message;
            }
        }
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    async fn refusal(&mut self, tool: &str, arguments: Value) -> String {
        let reply = self.call(tool, arguments).await;
        assert_eq!(reply["result"]["isError"], true, "{reply}");
        reply["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn both_eras_list_the_same_tools() {
    let mut tools = Vec::new();
    for modern in [false, true] {
        let mut client = Client::start(modern).await;
        let mut reply = client.ask("tools/list", json!({})).await;
        tools.push(reply["result"]["tools"].take());
    }
    assert_eq!(tools[0].as_array().unwrap().len(), 7);
    assert_eq!(tools[0], tools[1]);
}

#[tokio::test]
async fn the_modern_era_is_discovered() {
    let mut client = Client::start(true).await;
    let reply = client.ask("server/discover", json!({})).await;
    let versions = reply["result"]["supportedVersions"].to_string();
    assert!(versions.contains("2026-07-28") && versions.contains("2025-11-25"), "{reply}");
    let instructions = reply["result"]["instructions"].as_str().unwrap();
    assert!(instructions.len() < 2_048 && instructions.contains("run_python"));
}

#[tokio::test]
async fn text_and_structure_of_an_answer_say_the_same() {
    for modern in [false, true] {
        let mut client = Client::start(modern).await;
        let reply = client.call("list_data", json!({})).await;
        let structured = &reply["result"]["structuredContent"];
        assert_eq!(structured["datasets"][0]["name"], "people", "{reply}");
        let text = reply["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(&serde_json::from_str::<Value>(text).unwrap(), structured);
        assert_eq!(reply["result"]["isError"], false);
    }
}

#[tokio::test]
async fn describe_computes_over_all_rows() {
    let mut client = Client::start(false).await;
    let reply = client.call("describe_data", json!({"data": "people", "columns": ["age"]})).await;
    let described = &reply["result"]["structuredContent"];
    assert_eq!(described["rows"], 3, "{reply}");
    // (36 + 41 + 85) / 3
    let age = described["columns"][0].as_str().unwrap();
    assert!(age.starts_with("age int64: key, 36 to 85, mean 54, quartiles 38.5 41 63"), "{age}");
    assert_eq!(described["columns"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn export_writes_a_file_that_the_person_finds() {
    let mut client = Client::start(false).await;
    let reply = client.call("export_data", json!({"data": "people", "format": "csv"})).await;
    let exported = &reply["result"]["structuredContent"];
    let file = std::path::Path::new(exported["file"].as_str().unwrap());
    assert!(file.starts_with(client.folder.path()), "{reply}");
    let bytes = std::fs::read(file).unwrap();
    assert_eq!(
        (exported["rows"].as_u64(), exported["bytes"].as_u64()),
        (Some(3), Some(bytes.len() as u64))
    );
    assert_eq!(exported["blake3"], blake3::hash(&bytes).to_hex().as_str());
    assert!(String::from_utf8(bytes).unwrap().contains("Grace"));
    assert!(!reply.to_string().contains("Grace"));
}

#[tokio::test]
async fn refusals_say_what_to_do_next() {
    let mut client = Client::start(false).await;
    let unknown = client.call("query", json!({})).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    assert!(unknown["error"]["message"].as_str().unwrap().contains("run_python"));

    let text = client.refusal("describe_data", json!({"dataset": "people"})).await;
    assert!(text.contains("\"data\" is missing") && text.contains("\"dataset\" is not"), "{text}");
    let text = client.refusal("describe_data", json!({"data": "poeple"})).await;
    assert!(text.contains("people") && text.contains("list_data"), "{text}");
    let text =
        client.refusal("describe_data", json!({"data": "people", "columns": ["agee"]})).await;
    assert!(text.contains("agee") && text.contains("`age`"), "{text}");

    let gone = "data_0123456789abcdef0123456789abcdef";
    let want =
        |data: &str| format!("unknown or expired dataRef {data}: fetch or query the data again");
    for data in [gone, "data_1"] {
        for (tool, arguments) in [
            ("describe_data", json!({"data": data})),
            ("trace_result", json!({"data": data})),
            ("export_data", json!({"data": data, "format": "csv"})),
        ] {
            assert_eq!(client.refusal(tool, arguments).await, want(data));
        }
    }
    let text =
        client.refusal("run_python", json!({"code": "1", "inputs": {"class": "people"}})).await;
    assert!(text.contains("\"class\" cannot name an input"), "{text}");
    let text = client.refusal("run_python", json!({"code": "result = 1"})).await;
    assert!(text.contains("dataroom setup"), "{text}");
}

#[tokio::test]
async fn a_dataset_is_its_own_history() {
    let mut client = Client::start(false).await;
    let reply = client.call("trace_result", json!({"data": "people"})).await;
    let steps = &reply["result"]["structuredContent"]["steps"];
    assert_eq!((&steps[0]["data"], &steps[0]["kind"]), (&json!("people"), &json!("dataset")));
    assert_eq!(steps.as_array().unwrap().len(), 1, "{reply}");
    assert_eq!(steps[0]["content_hash"].as_str().unwrap().len(), 64);
}

#[tokio::test]
async fn the_server_ends_with_its_client() {
    let client = Client::start(false).await;
    let Client { lines, writer, server, close, .. } = client;
    drop(lines.into_inner().into_inner().unsplit(writer));
    let ended = tokio::time::timeout(std::time::Duration::from_secs(2), server).await;
    ended.expect("the server ended").unwrap();
    drop(close);
}
