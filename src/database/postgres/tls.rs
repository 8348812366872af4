//! TLS to a server: whom it trusts.

use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::database::config::Tls;
use crate::database::{Cause, DatabaseError};

fn failed(about: String) -> DatabaseError {
    DatabaseError { about: Some(about), ..DatabaseError::of(Cause::Tls) }
}

/// What makes connections secure, as the configuration says. With [`Tls::Off`] nothing uses
/// it.
pub(super) fn connector(
    tls: Tls,
    roots: Option<&Path>,
) -> Result<MakeRustlsConnect, DatabaseError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(error.to_string()))?;
    let config = match tls {
        Tls::Verify => builder.with_root_certificates(trusted(roots)?).with_no_client_auth(),
        Tls::Require | Tls::Off => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Anybody(provider)))
            .with_no_client_auth(),
    };
    Ok(MakeRustlsConnect::new(config))
}

fn trusted(roots: Option<&Path>) -> Result<RootCertStore, DatabaseError> {
    let Some(file) = roots else {
        return Ok(RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() });
    };
    let of = |cause: String| failed(format!("the file {} of `tls_roots` {cause}", file.display()));
    #[allow(clippy::disallowed_methods, reason = "the person's configuration names this file")]
    let text = std::fs::read(file).map_err(|error| of(format!("cannot be read ({error})")))?;
    let mut store = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&text) {
        let certificate = certificate.map_err(|_| of("is no PEM".to_owned()))?;
        store
            .add(certificate)
            .map_err(|_| of("has a certificate that cannot be used".to_owned()))?;
    }
    match store.is_empty() {
        true => Err(of("has no certificate".to_owned())),
        false => Ok(store),
    }
}

/// Believes whoever answers: for `tls = "require"`, which encrypts and proves nothing.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let schemes = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, schemes)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let schemes = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, schemes)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
